import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { Environment, type Integration, type IntegrationEvent, Repository } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { handled, makeSlackIntegration, mention, saidIn, subjectOf } from "./slack-world.ts";
import { World } from "./world.ts";

// The worked cases of finding a target and of forwarded messages, against an ingress and a connector at work.

let world: World;
/** A channel of the test's own: Slack takes one message a second in each. */
let channel = "";
let channels = 0;

beforeAll(async () => {
  world = await World.make();
  for (const name of ["web", "perf"]) await world.makeRepository(name, `https://github.com/acme/${name}.git`);
  await world.client.create(Environment, {
    metadata: { namespace: world.namespace, name: "env-1" },
    spec: { repositoryRefs: [{ name: "web" }] },
  });
  await world.startConnector();
});
afterAll(() => world.close());
beforeEach(() => {
  channels += 1;
  channel = `C0CASE${channels}`;
});
afterEach(() => {
  expect(world.slack.refused.splice(0)).toEqual([]);
});

interface Asked {
  settled: IntegrationEvent;
  root: string;
}

async function ask(integration: Integration, text: string, extra: object = {}): Promise<Asked> {
  const { event, root } = mention(world, text, { channel, extra });
  return { settled: await handled(world, integration, event), root };
}

/** Names of what the thread's session works on; undefined where it has none. */
async function targetOf({ root }: Asked): Promise<string | undefined> {
  const { sessions } = await world.work(subjectOf(root, channel));
  expect(sessions.length).toBeLessThanOrEqual(1);
  const target = sessions[0]?.spec.target;
  return target?.environmentRef?.name ?? target?.repositoryRefs?.map(({ name }) => name).join();
}

/** What the person can choose from: the buttons, and the entries of the list. */
async function choicesOf({ settled, root }: Asked): Promise<{ buttons: string[]; entries: string[] }> {
  expect(conditionOf(settled, "Succeeded")).toMatchObject({ status: "False", reason: "TargetUnknown" });
  await until("it asks", () => saidIn(world, root, channel).length === 1);
  const actions = saidIn(world, root, channel)[0]?.blocks?.find((block) => block.type === "actions");
  const elements = actions?.elements ?? [];
  const options = elements.flatMap((element) =>
    element.type === "static_select"
      ? [...(element.options ?? []), ...(element.option_groups ?? []).flatMap((group) => group.options)]
      : [],
  );
  return {
    buttons: elements.flatMap((element) => (element.type === "button" ? [element.value ?? ""] : [])),
    entries: options.map(({ value }) => value ?? ""),
  };
}

const repository = (name: string): object => ({ repositoryRef: { name } });
const environment = { environmentRef: { name: "env-1" } };
const rule = (keyword: string, target: object): object => ({ keyword, target });
/** Settings with the test's channel associated with targets. */
const withHere = (settings: object, here: readonly object[] = []): object => ({
  ...settings,
  channels: here.map((target) => ({ id: channel, target })),
});
const two = { repositories: [{ name: "api" }, { name: "web" }] };
const slow = "the api is slow";

describe("the target of a request", () => {
  it.each([
    { row: 1, settings: { ...two, rules: [rule("api", repository("api"))] }, text: slow, want: "api" },
    {
      row: 3,
      settings: { ...two, rules: [rule("api", repository("api")), rule("slow", repository("api"))] },
      text: slow,
      want: "api",
    },
    {
      row: 6,
      settings: { ...two, rules: [rule("api", repository("gone")), rule("slow", repository("perf"))] },
      text: slow,
      want: "perf",
    },
    {
      row: 8,
      settings: { repositories: [{ name: "web" }], rules: [rule("foo", repository("web"))] },
      text: "fix it",
      want: "web",
    },
    { row: 9, settings: two, here: [environment], text: "fix it", want: "env-1" },
    {
      row: 12,
      settings: { ...two, rules: [rule("api", repository("api"))] },
      here: [repository("web")],
      text: slow,
      want: "api",
    },
    {
      row: 14,
      settings: { repositories: [{ name: "gone" }, { name: "lost" }], rules: [rule("slow", environment)] },
      text: slow,
      want: "env-1",
    },
  ])("is decided: row $row", async ({ settings, here, text, want }) => {
    const asked = await ask(await makeSlackIntegration(world, withHere(settings, here)), text);
    expect(asked.settled.status).toMatchObject({ triggered: 1 });
    expect(await targetOf(asked)).toBe(want);
  });

  it.each([
    {
      row: 2,
      settings: { ...two, rules: [rule("api", repository("api")), rule("slow", repository("perf"))] },
      text: slow,
      buttons: ["repository/api", "repository/perf"],
    },
    {
      row: 4,
      settings: { repositories: [], rules: [rule("api", repository("api")), rule("api", environment)] },
      text: slow,
      buttons: ["repository/api", "environment/env-1"],
    },
    { row: 5, settings: { ...two, rules: [rule("api", repository("gone"))] }, text: slow, buttons: [] },
    {
      row: 7,
      settings: { repositories: [{ name: "web" }], rules: [rule("ops", environment)] },
      text: "fix it",
      buttons: [],
    },
    {
      row: 10,
      settings: two,
      here: [environment, repository("web")],
      text: "fix it",
      buttons: ["environment/env-1", "repository/web"],
    },
    {
      row: 11,
      settings: two,
      here: [repository("web"), repository("api")],
      text: "fix it",
      buttons: ["repository/web", "repository/api"],
    },
  ])("is asked for: row $row", async ({ settings, here, text, buttons }) => {
    const asked = await ask(await makeSlackIntegration(world, withHere(settings, here)), text);
    const choices = await choicesOf(asked);
    expect(choices.buttons).toEqual(buttons);
    expect(choices.entries.length).toBeGreaterThan(1);
    expect(choices.entries).not.toContain("repository/gone");
    expect(await targetOf(asked)).toBeUndefined();
  });

  it("is found by a keyword in the forwarded text alone: row 15", async () => {
    const integration = await makeSlackIntegration(world, { ...two, rules: [rule("api", repository("api"))] });
    const asked = await ask(integration, "look", { attachments: [{ is_share: true, text: slow }] });
    expect(await targetOf(asked)).toBe("api");
  });

  it("is not there, and the person reads what to do: row 16", async () => {
    const asked = await ask(await makeSlackIntegration(world, { repositories: [] }), "fix it");
    expect(conditionOf(asked.settled, "Succeeded")).toMatchObject({ status: "False", reason: "TargetUnknown" });
    await until("the person reads it", () => saidIn(world, asked.root, channel).length === 1);
    expect(JSON.stringify(saidIn(world, asked.root, channel)[0]?.blocks)).toContain(
      "Ask the operator of Runwright to add",
    );
    expect(await targetOf(asked)).toBeUndefined();
  });

  it("of which the rule's Repository is deleted is the one that is left", async () => {
    await world.makeRepository("old", "https://github.com/acme/old.git");
    const settings = { repositories: [{ name: "web" }], rules: [rule("api", repository("old"))] };
    const integration = await makeSlackIntegration(world, settings);
    expect(await targetOf(await ask(integration, slow))).toBe("old");
    await world.client.delete(Repository, { namespace: world.namespace, name: "old" });
    await until("the connector knows", async () => (await targetOf(await ask(integration, slow))) === "web");
  });
});

describe("a keyword", () => {
  it.each([
    { keyword: "api", text: "(API), now", isFound: true },
    { keyword: "api", text: "rapidly failing apis", isFound: false },
    { keyword: "api", text: "api_v2 fails", isFound: false },
    { keyword: "c++", text: "see c++.", isFound: true },
    { keyword: "c++", text: "c++11 build", isFound: false },
    { keyword: ".*", text: "anything", isFound: false },
    { keyword: "billing page", text: "the Billing \n Page fails", isFound: true },
    { keyword: "billing page", text: "billing-page", isFound: false },
    { keyword: "web", text: "see <https://web.example.com>", isFound: true },
    { keyword: "api", text: "éapi", isFound: false },
    { keyword: "#ops", text: "in <#C01|ops> now", isFound: false },
    { keyword: "R&D", text: "ask R&amp;D", isFound: true },
  ])("$keyword is in $text: $isFound", async ({ keyword, text, isFound }) => {
    const integration = await makeSlackIntegration(world, { ...two, rules: [rule(keyword, repository("perf"))] });
    expect(await targetOf(await ask(integration, text))).toBe(isFound ? "perf" : undefined);
  });
});

describe("forwarded messages", () => {
  let integration: Integration;
  beforeAll(async () => {
    integration = await makeSlackIntegration(world);
  });

  /** The text of the prompt that a request with these attachments becomes. */
  async function promptOf(text: string, attachments: object[]): Promise<string> {
    const asked = await ask(integration, text, { attachments });
    const { prompts } = await world.work(subjectOf(asked.root, channel));
    expect(prompts).toHaveLength(1);
    return prompts[0]!.spec.text;
  }

  const shared = (text: string, rest: object = {}): object => ({ is_share: true, text, ...rest });
  const blocksOf = (prompt: string): string[] =>
    [...prompt.matchAll(/^Forwarded message:\n```\n([^`]*)\n```$/gm)].map(([, text = ""]) => text);

  it.each([
    { length: 4_000, want: "x".repeat(4_000) },
    { length: 4_001, want: `${"x".repeat(3_996)} […]` },
  ])("of $length characters are 4,000 at most, the mark included: row 1", async ({ length, want }) => {
    expect(blocksOf(await promptOf("fix it", [shared("x".repeat(length))]))).toEqual([want]);
  });

  it.each([
    { row: 2, texts: Array.from({ length: 12 }, (_, index) => `m${index}`) },
    { row: 3, texts: Array.from({ length: 11 }, (_, index) => (index === 2 ? " " : `m${index}`)) },
  ])("are the first 10 that say something: row $row", async ({ texts }) => {
    const said = texts.filter((text) => text.trim() !== "").slice(0, 10);
    expect(
      blocksOf(
        await promptOf(
          "fix it",
          texts.map((text) => shared(text)),
        ),
      ),
    ).toEqual(said);
  });

  it("without a text have their fallback: row 4", async () => {
    const prompt = await promptOf("fix it", [shared(" ", { fallback: "[10:02] ann: it broke" })]);
    expect(blocksOf(prompt)).toEqual(["[10:02] ann: it broke"]);
  });

  it("are no previews of links: row 5", async () => {
    expect(await promptOf("fix it", [{ text: "A page", from_url: "https://example.com" }])).not.toContain("Forwarded");
  });

  it("stand for the text of a request without one, and come before it: row 7", async () => {
    const prompt = await promptOf("", [shared("it broke")]);
    expect(blocksOf(prompt)).toEqual(["it broke"]);
    expect(prompt.indexOf("Work on the forwarded messages above.")).toBeGreaterThan(prompt.indexOf("it broke"));
  });

  it("say who wrote them, where and when", async () => {
    const link = "https://acme.slack.com/archives/C0DEV/p1767225600123456";
    const rest = { author_name: "Ben", channel_name: "dev", channel_id: "C0DEV", ts: "1767225600.123456" };
    expect(blocksOf(await promptOf("fix it", [shared("it broke", { ...rest, from_url: link })]))).toEqual([
      `From: Ben\nChannel: dev (C0DEV)\nTime: 2026-01-01T00:00:00.000Z\nLink: ${link}\nit broke`,
    ]);
  });
});
