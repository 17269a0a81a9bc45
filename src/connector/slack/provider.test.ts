import { expect, it } from "vitest";

import { aPrompt, aVerdict } from "../../../test/support/builders.ts";
import type { Conversation, Integration, Post } from "../../api/v1alpha1/index.ts";
import { slackProvider, type SlackProviderDeps } from "./provider.ts";

/** What notifications show of an answer. */
async function notified(summary: string): Promise<string> {
  const posted: { text: string }[] = [];
  const postMessage = (message: { text: string }): Promise<object> => {
    posted.push(message);
    return Promise.resolve({ ts: "1.1" });
  };
  const deps = {
    slack: {
      call: (_integration: unknown, _method: string, run: (web: object) => unknown) => run({ chat: { postMessage } }),
    },
    pace: { turn: () => Promise.resolve() },
  } as unknown as SlackProviderDeps;
  const conversation = { metadata: { name: "c" }, spec: {} } as unknown as Conversation;
  const slack = { channelID: "C1", threadTS: "1.0" };
  const post: Post = { id: "p", kind: "Answer", eventUID: "e", progress: "Waiting", tries: 0, sessionName: "s", slack };
  const prompt = aPrompt({ status: { result: { summary }, conditions: [aVerdict(true, "Completed", new Date(0))] } });
  await slackProvider(deps).post({ integration: {} as Integration, conversation }, { post }, prompt);
  return posted[0]?.text ?? "";
}

it.each([
  ["all of 150 characters", "a".repeat(150), "a".repeat(150)],
  ["the first 150 of 151", "a".repeat(151), "a".repeat(150)],
  ["whole characters of two UTF-16 units", `a${"🙂".repeat(150)}`, `a${"🙂".repeat(149)}`],
  ["no half of a sign that Slack has escaped", `${"a".repeat(148)}<b>`, "a".repeat(148)],
  ["a sign that Slack has escaped where it is whole", `${"a".repeat(146)}<b>`, `${"a".repeat(146)}&lt;`],
])("a notification shows %s", async (_name, summary, want) => {
  expect(await notified(summary)).toBe(want);
});
