import { expect, it } from "vitest";

import { SlackSettings } from "../../../api/v1alpha1/index.ts";
import { type HomeFacts, homeView } from "./view.ts";

const facts: HomeFacts = {
  where: "everywhere",
  settings: settings({ repositories: [{ name: "api" }, { name: "web" }] }),
  exists: () => true,
  requests: [],
  pageUrl: undefined,
};

function settings(change: object): SlackSettings {
  return SlackSettings.parse({ teamID: "T0ACME", ...change });
}

function textsOf(change: Partial<HomeFacts>): string[] {
  return homeView({ ...facts, ...change }).blocks.map((block) =>
    "text" in block && typeof block.text === "object" ? block.text.text : "",
  );
}

const request = {
  target: { repositoryRef: { name: "api" } },
  channelID: "C0OPS",
  stage: "working",
  session: { namespace: "shop", name: "slack-abc" },
  lastPromptTime: "2026-05-04T10:15:00.000Z",
} as const;

it.each([
  {
    name: "in a channel",
    change: {},
    want: "repository `api`, in <#C0OPS>, <!date^1777889700^{date_short_pretty} {time}|2026-05-04T10:15:00.000Z>: the agent is at work.",
  },
  {
    name: "in a direct message, of an environment",
    change: { target: { environmentRef: { name: "staging" } }, channelID: "D0ANN", lastPromptTime: undefined },
    want: "environment `staging`, in a direct message: the agent is at work.",
  },
  {
    name: "whose session is gone",
    change: { stage: "gone", session: undefined, lastPromptTime: undefined },
    want: "repository `api`, in <#C0OPS>: the session was deleted.",
  },
] as const)("a request $name", ({ change, want }) => {
  expect(textsOf({ requests: [{ ...request, ...change }] }).at(-1)).toBe(want);
});

it("a request links to its session where there is a page, as long as the session is there", () => {
  const pageUrl = "https://runwright.example.com";
  const requests = [request, { ...request, session: undefined }];
  const [first, second] = textsOf({ requests, pageUrl }).slice(-2);
  expect(first).toContain(" <https://runwright.example.com/sessions/shop.slack-abc|Open the session>");
  expect(second).not.toContain("Open the session");
});

it.each([
  { name: "no target", targets: [], want: "No repository is set up for requests here." },
  { name: "one target", targets: ["api"], want: "All requests are about repository `api`." },
  { name: "two targets", targets: ["api", "web"], want: "repository `api`, repository `web`." },
])("where there is $name it says so", ({ targets, want }) => {
  const exists: HomeFacts["exists"] = ({ repositoryRef }) => targets.includes(repositoryRef?.name ?? "");
  expect(textsOf({ exists }).join("\n")).toContain(want);
});

it("the largest settings are within Slack's limits", () => {
  const name = (index: number): string => `r${index}`.padEnd(63, "x");
  const target = (index: number): object => ({ repositoryRef: { name: name(index) } });
  const id = (index: number): string => `C${index}`.padEnd(32, "0");
  const all = Array.from({ length: 100 }, (_, index) => index);
  const largest = settings({
    repositories: all.slice(0, 50).map((index) => ({ name: name(index) })),
    environments: all.slice(0, 50).map((index) => ({ name: name(index) })),
    rules: all.map((index) => ({ keyword: "<".repeat(100), target: target(index) })),
    channels: all.map((index) => ({ id: id(index), target: target(index) })),
  });
  const requests = Array.from({ length: 5 }, () => request);
  const { blocks } = homeView({ ...facts, where: all.map(id), settings: largest, requests });
  const texts = blocks.map((block) => ("text" in block && typeof block.text === "object" ? block.text.text : ""));
  expect(Math.max(...texts.map((text) => Array.from(text).length))).toBeLessThanOrEqual(3_000);
  expect(texts.every((text) => text !== "")).toBe(true);
  expect(blocks.length).toBeLessThanOrEqual(100);
  expect(texts.filter((text) => /and \d+ more/.test(text))).toHaveLength(4);
});

it("text of settings cannot mention people or break out of its line", () => {
  const rules = [{ keyword: "<!here> & <@U1>", target: { repositoryRef: { name: "api" } } }];
  const text = textsOf({ settings: settings({ repositories: [{ name: "web" }], rules }) }).join("\n");
  expect(text).toContain("“&lt;!here&gt; &amp; &lt;@U1&gt;”: repository `api`");
});
