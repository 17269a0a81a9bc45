import { describe, expect, it } from "vitest";

import { aPrompt, aVerdict } from "../../../test/support/builders.ts";
import type { Conversation, Integration, Post, Prompt } from "../../api/v1alpha1/index.ts";
import { slackProvider, type SlackProviderDeps } from "./provider.ts";

const slack = { channelID: "C1", threadTS: "1.0" };
const answer: Post = { id: "p", kind: "Answer", eventUID: "e", progress: "Waiting", tries: 0, sessionName: "s", slack };

/** The first message that is sent or changed for a post. */
async function shown(post: Post, { prompt, pageUrl }: { prompt?: Prompt; pageUrl?: string } = {}) {
  const sent: { text: string; blocks: { text: { text: string } }[] }[] = [];
  const take = (message: (typeof sent)[number]): Promise<object> => {
    sent.push(message);
    return Promise.resolve({ ts: "1.1" });
  };
  const web = { chat: { postMessage: take, update: take } };
  const run = (_integration: unknown, _call: unknown, work: (client: object) => unknown): unknown => work(web);
  const deps = {
    slack: { call: run, post: run },
    pageUrl,
  } as unknown as SlackProviderDeps;
  const conversation = { metadata: { name: "c" }, spec: {} } as unknown as Conversation;
  const integration = { metadata: { namespace: "shop" }, spec: {} } as unknown as Integration;
  await slackProvider(deps).post({ integration, conversation }, { post }, prompt);
  return sent[0];
}

/** What notifications show of an answer. */
async function notified(summary: string): Promise<string> {
  const prompt = aPrompt({ status: { result: { summary }, conditions: [aVerdict(true, "Completed", new Date(0))] } });
  return (await shown(answer, { prompt }))?.text ?? "";
}

describe.each([
  { kind: "Started", text: "Working on repository api." },
  { kind: "Progress", text: "Working on repository api.\nStatus: done" },
] as const)("the message $kind", ({ kind, text }) => {
  const post: Post = { ...answer, kind, text };

  it("has a link to the session where people have the web page", async () => {
    const message = await shown(post, { pageUrl: "https://runwright.example.com" });
    const link = "<https://runwright.example.com/sessions/shop.s|Open the session>";
    expect(message?.blocks.map((block) => block.text.text)).toEqual([`${text}\n${link}`]);
    expect(message?.text).toBe(text);
  });

  it("has none elsewhere", async () => {
    expect((await shown(post))?.blocks.map((block) => block.text.text)).toEqual([text]);
  });
});

it.each([
  ["all of 150 characters", "a".repeat(150), "a".repeat(150)],
  ["the first 150 of 151", "a".repeat(151), "a".repeat(150)],
  ["whole characters of two UTF-16 units", `a${"🙂".repeat(150)}`, `a${"🙂".repeat(149)}`],
  ["no half of a sign that Slack has escaped", `${"a".repeat(148)}<b>`, "a".repeat(148)],
  ["a sign that Slack has escaped where it is whole", `${"a".repeat(146)}<b>`, `${"a".repeat(146)}&lt;`],
])("a notification shows %s", async (_name, summary, want) => {
  expect(await notified(summary)).toBe(want);
});
