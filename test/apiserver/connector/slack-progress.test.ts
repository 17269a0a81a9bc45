import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import { type Integration, Prompt, Session, type SessionStatus } from "../../../src/api/v1alpha1/index.ts";
import { aVerdict } from "../../support/builders.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { handled, makeSlackIntegration, mention, saidIn, subjectOf } from "./slack-world.ts";
import { answerPrompt, type Connector, promptsOf, World } from "./world.ts";

let world: World;
let integration: Integration;
let connector: Connector;
let place: string;
let places = 0;

beforeAll(async () => {
  world = await World.make();
  integration = await makeSlackIntegration(world);
  connector = await world.startConnector();
});
afterAll(() => world.close());
beforeEach(() => {
  places += 1;
  place = `C0P${places}`;
});
afterEach(() => {
  world.slack.fault = undefined;
  world.slack.before = undefined;
  world.slack.after = undefined;
  expect(world.slack.refused).toEqual([]);
});

/** A request in a channel of its own, once its start is shown. */
async function request(): Promise<{ root: string; ts: string; prompt: Prompt }> {
  const { event, root } = mention(world, "fix it", { channel: place });
  await handled(world, integration, event);
  await until("the start is shown", () => saidIn(world, root, place).length === 1);
  const [prompt] = await promptsOf(world, subjectOf(root, place));
  return { root, ts: saidIn(world, root, place)[0]!.ts, prompt: prompt! };
}

/** Does what the controller does when a session works on a prompt. */
async function work(prompt: Prompt, sandbox: Partial<NonNullable<SessionStatus["sandbox"]>>): Promise<void> {
  const session = await world.client.get(Session, { namespace: world.namespace, name: prompt.spec.sessionRef.name });
  const now = new Date().toISOString();
  const { name = "", uid = "" } = prompt.metadata;
  await world.client.patchStatus(Session, session, {
    ...session.status,
    currentPrompt: { name, uid, startTime: now, deadline: now },
    sandbox: { attempt: 1, podName: "p", createTime: now, ...sandbox },
  });
}

const shownAs = (ts: string): string[] =>
  world.slack.changes.filter((change) => change.ts === ts).map(({ text }) => text.split("\n")[1] ?? "");
const posts = async (root: string) => (await world.conversation(subjectOf(root, place)))?.status?.posts ?? [];
const isEnded = async (root: string): Promise<boolean> =>
  (await posts(root)).every(({ progress }) => progress === "Sent" || progress === "Dropped");

it("the message of the start says what the request is at, and each state once", async () => {
  const { root, ts, prompt } = await request();
  await until("it waits", () => shownAs(ts).includes("Status: waiting for a sandbox"));
  await work(prompt, {});
  await until("it starts", () => shownAs(ts).includes("Status: the sandbox is starting"));
  await work(prompt, { readyTime: new Date().toISOString() });
  // A verdict that is not known yet is none.
  const verdict = { ...aVerdict(false, "Processing", new Date()), status: "Unknown" as const };
  await world.client.patchStatus(Prompt, prompt, { conditions: [verdict] });
  await until("it is at work", () => shownAs(ts).includes("Status: the agent is at work"));
  await answerPrompt(world, prompt, "Done it.");
  await until("all is shown", () => isEnded(root));
  expect(shownAs(ts)).toEqual([
    "Status: waiting for a sandbox",
    "Status: the sandbox is starting",
    "Status: the agent is at work",
    "Status: done",
  ]);
  expect(saidIn(world, root, place)[0]?.text).toBe("Working on repository api.\nStatus: done");
});

it.each([
  { succeeded: true, want: "Status: done" },
  { succeeded: false, want: "Status: failed" },
])("of a request that ends within 5 seconds $want is shown alone", async ({ succeeded, want }) => {
  const { root, ts, prompt } = await request();
  await work(prompt, { readyTime: new Date().toISOString() });
  await answerPrompt(world, prompt, "Ended.", succeeded);
  await until("all is shown", () => isEnded(root));
  expect(shownAs(ts)).toEqual([want]);
});

it("states that change quickly are shown at most once in 5 seconds", async () => {
  const { root, ts, prompt } = await request();
  const begun = performance.now();
  for (let changes = 0; changes < 20; changes += 1) {
    await work(prompt, changes % 2 === 0 ? {} : { readyTime: new Date().toISOString() });
  }
  await until("it is at work", () => shownAs(ts).includes("Status: the agent is at work"));
  expect(shownAs(ts).length).toBeLessThanOrEqual(1 + (performance.now() - begun) / 5_000);
  await answerPrompt(world, prompt, "Done it.");
  await until("all is shown", () => isEnded(root));
});

it("a message that cannot be changed any more is left, and the answer is shown", async () => {
  const { root, prompt } = await request();
  world.slack.fault = (method, channel) => (method === "chat.update" && channel === place ? "refuse" : undefined);
  await answerPrompt(world, prompt, "Done it.");
  await until("all is shown", () => isEnded(root));
  expect((await posts(root)).map(({ kind, progress }) => `${kind} ${progress}`)).toEqual([
    "Answer Sent",
    "Started Sent",
    "Progress Dropped",
  ]);
  expect(conditionOf(await world.conversation(subjectOf(root, place)), "Ready")).toMatchObject({ status: "True" });
});

it("a change that Slack does not take yet is made once it does, no sooner than it says", async () => {
  const { root, ts, prompt } = await request();
  const calledMs: number[] = [];
  world.slack.before = (method) => {
    if (method === "chat.update") calledMs.push(performance.now());
  };
  const heldMs = performance.now();
  // However long it takes until the first call, Slack takes none before the second.
  world.slack.tiers.now = () => (calledMs.length < 2 ? heldMs : performance.now());
  world.slack.tiers.spend("chat.update");
  await answerPrompt(world, prompt, "Done it.");
  await until("all is shown", () => isEnded(root));
  expect(shownAs(ts)).toEqual(["Status: done"]);
  expect(calledMs).toHaveLength(2);
  // A call each 1.2 seconds.
  expect(calledMs[1]! - calledMs[0]!).toBeGreaterThanOrEqual(1_000);
});

it("a follow-up has a reaction until it is done", async () => {
  const { root, prompt } = await request();
  await answerPrompt(world, prompt, "Done it.");
  const { event, ts } = mention(world, "and more", { root, channel: place });
  await handled(world, integration, event);
  await until("it is marked", () => world.slack.reactions.has(`${ts} eyes`));
  const [, second] = await promptsOf(world, subjectOf(root, place));
  await answerPrompt(world, second!, "Done that, too.");
  await until("it is not", () => !world.slack.reactions.has(`${ts} eyes`));
  await until("all is shown", () => isEnded(root));
});

it.each(["reactions.add", "reactions.remove", "chat.update"])(
  "a connector that is killed after %s, before it knows of that, leaves it as it is to be",
  async (method) => {
    const { root, ts, prompt } = await request();
    const next = Promise.withResolvers<Connector>();
    let isKilled = false;
    world.slack.after = (called, caller) => {
      if (called !== method || caller !== connector.name || isKilled) return;
      isKilled = true;
      connector.kill();
      void world
        .forgetLeader()
        .then(() => world.startConnector())
        .then(next.resolve, next.reject);
    };
    await answerPrompt(world, prompt, "Done it.");
    const followUp = mention(world, "and more", { root, channel: place });
    await handled(world, integration, followUp.event);
    await until("it is marked or done", () => world.slack.reactions.has(`${followUp.ts} eyes`));
    const [, second] = await promptsOf(world, subjectOf(root, place));
    await answerPrompt(world, second!, "Done that, too.");
    connector = await next.promise;
    await until("all is shown", () => isEnded(root));
    expect(world.slack.reactions.has(`${followUp.ts} eyes`)).toBe(false);
    expect(new Set(shownAs(ts))).toEqual(new Set(["Status: done"]));
    expect(saidIn(world, root, place).map(({ text }) => text.split("\n")[0])).toEqual([
      "Working on repository api.",
      "Done it.",
      "Done that, too.",
    ]);
  },
);
