import { expect, it } from "vitest";

import type { Conversation, Integration, Post } from "../../api/v1alpha1/index.ts";
import { linearProvider, type LinearProviderDeps } from "./provider.ts";

const post: Post = { id: "p", kind: "Answer", eventUID: "e", agentSessionID: "a", progress: "Waiting", tries: 0 };
const about = { integration: {} as Integration, conversation: {} as Conversation };

/** What is shown of a post, as Linear gets it. */
async function shown(due: Parameters<ReturnType<typeof linearProvider>["post"]>[1]): Promise<unknown[]> {
  const inputs: unknown[] = [];
  const call = (_integration: unknown, _operation: unknown, { input }: { input: unknown }): Promise<unknown> => {
    inputs.push(input);
    return Promise.resolve({ agentActivityCreate: { success: true } });
  };
  await linearProvider({ linear: { call } } as unknown as LinearProviderDeps).post(about, due, undefined);
  return inputs;
}

it("a sign of life is a thought that goes when the next activity comes", async () => {
  expect(await shown({ post, sign: { id: "s", text: "Still at work." } })).toEqual([
    { id: "s", agentSessionId: "a", content: { type: "thought", body: "Still at work." }, ephemeral: true },
  ]);
});

it.each<[Post["kind"], string]>([
  ["Question", "elicitation"],
  ["Refusal", "error"],
  ["StopNotice", "response"],
  ["StopRefusal", "thought"],
  ["Note", "thought"],
])("a %s is shown as %s and stays", async (kind, type) => {
  expect(await shown({ post: { ...post, kind, text: "It is so." } })).toEqual([
    { id: "p", agentSessionId: "a", content: { type, body: "It is so." } },
  ]);
});
