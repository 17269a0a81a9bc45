import { expect, it } from "vitest";

import type { Conversation, ConversationStatus, Session } from "../../api/v1alpha1/index.ts";
import { mappedSession } from "./facts.ts";

const now = new Date("2026-01-08T00:00:00.000Z");
const session = { metadata: { name: "s" } } as Session;
const mapped = (status: ConversationStatus | undefined): Session | undefined => {
  const conversation = { metadata: {}, spec: {}, ...(status && { status }) } as Conversation;
  return mappedSession({ conversation, sessions: new Map([["s", session]]) }, now);
};

it.each([
  { name: "a millisecond before its end", status: { sessionName: "s", expireTime: "2026-01-08T00:00:00.001Z" } },
  { name: "at its end", status: { sessionName: "s", expireTime: "2026-01-08T00:00:00.000Z" } },
  { name: "days before its end", status: { sessionName: "s", expireTime: "2026-01-14T00:00:00.000Z" } },
])("follow-ups go to the session $name", ({ status }) => {
  expect(mapped(status)).toBe(session);
});

it.each([
  { name: "a millisecond after its end", status: { sessionName: "s", expireTime: "2026-01-07T23:59:59.999Z" } },
  { name: "whose end cannot be read", status: { sessionName: "s", expireTime: "in a week" } },
  { name: "without an end", status: { sessionName: "s" } },
  { name: "to a session that is gone", status: { sessionName: "t", expireTime: "2026-01-14T00:00:00.000Z" } },
  { name: "without a session", status: { expireTime: "2026-01-14T00:00:00.000Z" } },
  { name: "that was never written", status: undefined },
])("a mapping $name counts as none", ({ status }) => {
  expect(mapped(status)).toBeUndefined();
});
