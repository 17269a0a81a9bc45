import { expect, it } from "vitest";

import type { Conversation, Post } from "../../api/v1alpha1/index.ts";
import { write } from "./decision.ts";

const now = new Date("2026-05-04T10:15:00Z");
const added: Post = { id: "added", kind: "Answer", eventUID: "e", progress: "Waiting", tries: 0 };

function decisionWith(waiting: number): ReturnType<typeof write> {
  const posts = Array.from({ length: waiting }, (_, index): Post => ({ ...added, id: String(index) }));
  const conversation = { metadata: {}, spec: {}, status: { posts } } as unknown as Conversation;
  return write(conversation, conversation.status ?? {}, [added], now);
}

it("writes a post beside 99 that wait", () => {
  expect(decisionWith(99).effects).toMatchObject([{ kind: "writeStatus", status: { posts: { length: 100 } } }]);
});

it("writes nothing beside 100, and looks again a minute later", () => {
  expect(decisionWith(100)).toEqual({ effects: [], requeueMs: 60_000 });
});
