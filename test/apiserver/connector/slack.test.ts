import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { Integration } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { ann, handled, makeSlackIntegration, mention, saidIn, subjectOf } from "./slack-world.ts";
import { answerPrompt, type Connector, promptsOf, World } from "./world.ts";

let world: World;
let connector: Connector;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  connector = await world.startConnector();
  integration = await makeSlackIntegration(world, {}, { sessionInstructions: "Write a test." });
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.fault = undefined;
  expect(world.slack.refused.splice(0)).toEqual([]);
});

const textOf = (message: { blocks?: unknown } | undefined): string => JSON.stringify(message?.blocks ?? "");

it("a mention starts a session on the right repository, and its answer comes back once", async () => {
  const before = connector.proxy.seen.length;
  const { event, root } = mention(world, "fix   the login");
  const settled = await handled(world, integration, event);
  const [prompt] = await promptsOf(world, subjectOf(root));
  expect(settled.status).toMatchObject({ triggered: 1, steered: 0, skipped: 0, promptName: prompt?.metadata.name });
  const writes = connector.proxy.seen
    .slice(before)
    .filter(({ isWrite, path }) => isWrite && !/\/(leases|integrations)\b/.test(path));
  // With the ingress's create and the Integration's status at most 10.
  expect(writes.length).toBeLessThanOrEqual(8);
  const { sessions } = await world.work(subjectOf(root));
  expect(sessions).toMatchObject([
    {
      metadata: { annotations: { "runwright.dev/requested-by": `slack:${world.slack.team.id}:${ann}` } },
      spec: { serviceAccountName: "runner", target: { repositoryRefs: [{ name: "api" }] } },
    },
  ]);
  expect(prompt?.spec.text).toContain(`[Name of ${ann} (${ann})]: fix the login`);
  expect(prompt?.spec.text).toContain("Channel:\n```\n#ops\nKeep it up\n```");
  expect(prompt?.spec.text.endsWith("# Instructions\n\nWrite a test.")).toBe(true);
  await until("the start is shown", () => saidIn(world, root).length === 1);
  expect(textOf(saidIn(world, root)[0])).toContain("Working on repository api.");
  await answerPrompt(world, prompt!, "The login works again, <!channel>.");
  await until("the answer is shown", () => saidIn(world, root).length > 1);
  expect(textOf(saidIn(world, root)[1])).toContain("The login works again, &lt;!channel&gt;.\\n\\nBranch: `fix-login`");
});

it("a follow-up goes to the thread's session, without instructions", async () => {
  const first = mention(world, "fix the login");
  await handled(world, integration, first.event);
  const second = mention(world, "and the logout", { root: first.root });
  const event = await handled(world, integration, second.event);
  expect(event.status).toMatchObject({ triggered: 0, steered: 1 });
  const { sessions, prompts } = await world.work(subjectOf(first.root));
  expect([sessions.length, prompts.length]).toEqual([1, 2]);
  expect(prompts[1]?.spec.text).not.toContain("Write a test.");
  expect(prompts[1]?.spec.text).toContain("and the logout");
});

describe("access", () => {
  beforeAll(() => {
    world.slack.groups.set("S0OPS", ["U0BEN", ann]).set("S0DEV", ["U0BEN"]);
  });

  it("to a thread's session ends for a person who is in the user group no more", async () => {
    world.slack.groups.set("S0OLD", [ann]).set("S0NEW", []);
    const own = await makeSlackIntegration(world, {}, { access: { userGroups: ["S0OLD"] } });
    const { event, root } = mention(world, "fix it");
    expect((await handled(world, own, event)).status).toMatchObject({ triggered: 1 });
    const key = { namespace: world.namespace, name: own.metadata.name ?? "" };
    const access = { users: null, userGroups: ["S0NEW"] };
    await world.known(await world.client.patch(Integration, key, { spec: { access } }));
    const refused = await handled(world, own, mention(world, "go on", { root }).event);
    expect(conditionOf(refused, "Succeeded")).toMatchObject({ reason: "AccessDenied" });
    expect((await world.work(subjectOf(root))).prompts).toHaveLength(1);
  });

  it.each([
    { name: "an empty list", access: {}, extra: {}, isAllowed: false },
    { name: "another person", access: { users: ["U0BEN"] }, extra: {}, isAllowed: false },
    { name: "the person", access: { users: [ann] }, extra: {}, isAllowed: true },
    { name: "the person in lower case", access: { users: [ann.toLowerCase()] }, extra: {}, isAllowed: true },
    { name: "the channel", access: { channels: ["C0OPS"] }, extra: {}, isAllowed: true },
    { name: "another channel", access: { channels: ["C0DEV"] }, extra: {}, isAllowed: false },
    {
      name: "the channel, asked by another workspace",
      access: { channels: ["C0OPS"] },
      extra: { user_team: "T0EVIL" },
      isAllowed: false,
    },
    { name: "the person's user group", access: { userGroups: ["S0OPS"] }, extra: {}, isAllowed: true },
    { name: "another user group", access: { userGroups: ["S0DEV"] }, extra: {}, isAllowed: false },
    { name: "a user group that is gone", access: { userGroups: ["S0GONE"] }, extra: {}, isAllowed: false },
    {
      name: "the person's user group, of another workspace",
      access: { userGroups: ["S0OPS"] },
      extra: { team: "T0EVIL" },
      isAllowed: false,
    },
    { name: "the person, of another workspace", access: { users: [ann] }, extra: { team: "T0EVIL" }, isAllowed: false },
  ])("for $name: $isAllowed", async ({ access, extra, isAllowed }) => {
    const own = await makeSlackIntegration(world, {}, { access });
    const { event, root } = mention(world, "fix it", { extra });
    const settled = await handled(world, own, event);
    expect(settled.status?.triggered).toBe(isAllowed ? 1 : 0);
    if (isAllowed) return;
    expect(conditionOf(settled, "Succeeded")).toMatchObject({ status: "False", reason: "AccessDenied" });
    await until("the person reads it", () => saidIn(world, root).length > 0);
    expect((await world.work(subjectOf(root))).sessions).toEqual([]);
  });
});

it("a mention of nothing is helped", async () => {
  const { event, root } = mention(world, "");
  const settled = await handled(world, integration, event);
  expect(conditionOf(settled, "Succeeded")).toMatchObject({ status: "True", reason: "NothingToDo" });
  await until("the help is shown", () => saidIn(world, root).length > 0);
  expect((await world.work(subjectOf(root))).sessions).toEqual([]);
});

it("a settled world causes no writes", async () => {
  const { event, root } = mention(world, "fix it", { channel: "C0REST" });
  const own = await makeSlackIntegration(world, {}, { access: { channels: ["C0REST"] } });
  await handled(world, own, event);
  const [prompt] = await promptsOf(world, subjectOf(root, "C0REST"));
  await answerPrompt(world, prompt!, "Done it.");
  await until("all is shown", async () => {
    const { status } = (await world.conversation(subjectOf(root, "C0REST"))) ?? {};
    return status?.posts?.every(({ progress }) => progress === "Sent") ?? false;
  });
  const isOurs = ({ isWrite, path }: { isWrite: boolean; path: string }): boolean =>
    isWrite && !path.includes("/leases");
  const watches = (): number => connector.proxy.seen.filter(({ isWatch }) => isWatch).length;
  const before = connector.proxy.seen.filter(isOurs).length;
  const begun = watches();
  const broken = connector.proxy.breakWatches("end");
  await until("the watches are back", () => watches() >= begun + broken);
  expect(connector.proxy.seen.filter(isOurs)).toHaveLength(before);
});
