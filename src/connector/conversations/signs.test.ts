import { describe, expect, it } from "vitest";

import type { Conversation, IntegrationEvent, Post, Prompt, Session } from "../../api/v1alpha1/index.ts";
import { aVerdict } from "../../../test/support/builders.ts";
import { ProviderError } from "../provider-error.ts";
import { type ConversationFacts, promptNameFor } from "./facts.ts";
import { duePosts, nextPostMs } from "./posts.ts";
import { afterSign, firstSign } from "./signs.ts";

const now = new Date("2026-05-04T10:15:00.000Z");
const after = (ms: number): string => new Date(now.getTime() + ms).toISOString();
const minute = 60_000;
const session = { metadata: { name: "s", uid: "s" }, status: {} } as Session;
const name = promptNameFor(session, "e");
const answer: Post = {
  id: "p",
  kind: "Answer",
  eventUID: "e",
  agentSessionID: "a",
  progress: "Waiting",
  tries: 0,
  sessionName: "s",
  signTime: after(0),
};

interface Given {
  post?: Partial<Post>;
  isAtWork?: boolean;
  hasEnded?: boolean;
}

function factsOf({ post, isAtWork = true, hasEnded = false }: Given = {}): ConversationFacts {
  const currentPrompt = { name, uid: "p", startTime: after(0), deadline: after(0) };
  const status = isAtWork ? { currentPrompt, sandbox: { readyTime: after(0) } } : {};
  const conditions = hasEnded ? [aVerdict(true, "Completed", now)] : [];
  const prompt = { metadata: { name, uid: "p" }, spec: {}, status: { conditions } } as unknown as Prompt;
  return {
    conversation: { metadata: {}, spec: {}, status: { posts: [{ ...answer, ...post }] } } as unknown as Conversation,
    events: [],
    sessions: new Map([["s", { ...session, status } as Session]]),
    prompts: new Map([[name, prompt]]),
  } as unknown as ConversationFacts;
}

const signsOf = (given?: Given): (string | undefined)[] => duePosts(factsOf(given), now).map(({ sign }) => sign?.text);

it("comes 20 minutes after a request of Linear's, and after none of Slack's", () => {
  const linear = { spec: { linear: {} } } as unknown as IntegrationEvent;
  const slack = { spec: { slack: {} } } as unknown as IntegrationEvent;
  expect(firstSign(linear, now)).toEqual({ signTime: after(20 * minute) });
  expect(firstSign(slack, now)).toEqual({});
});

it.each([
  { name: "a millisecond before its time", ms: 1, want: [] },
  { name: "at its time", ms: 0, want: ["Still at work."] },
  { name: "a millisecond after its time", ms: -1, want: ["Still at work."] },
])("is due $name: $want", ({ ms, want }) => {
  expect(signsOf({ post: { signTime: after(ms) } })).toEqual(want);
});

it("is waited for", () => {
  expect(nextPostMs(factsOf({ post: { signTime: after(5) } }), now)).toBe(5);
});

it("says where there is no sandbox yet", () => {
  expect(signsOf({ isAtWork: false })).toEqual(["Still waiting for a sandbox."]);
});

it("comes no more once the prompt has ended: the answer does, whenever the next sign was", () => {
  for (const ms of [0, minute]) {
    const due = duePosts(factsOf({ post: { signTime: after(ms) }, hasEnded: true }), now);
    expect(due).toMatchObject([{ post: { kind: "Answer" }, prompt: { metadata: { name } } }]);
    expect(due[0]?.sign).toBeUndefined();
  }
});

it("has another id each time, and the same where it is posted again", () => {
  const idOf = (signs?: number): string | undefined =>
    duePosts(factsOf({ post: signs === undefined ? {} : { signs } }), now)[0]?.sign?.id;
  expect(idOf()).toBe(idOf(0));
  expect(new Set([idOf(0), idOf(1), idOf(2)]).size).toBe(3);
});

describe("the next one", () => {
  it("comes after 20 minutes, or 5 where it failed, or as much later as Linear wants", () => {
    const failed = (retryAfterMs?: number) => new ProviderError("unavailable", "away", { retryAfterMs });
    expect(afterSign(answer, undefined, now)).toEqual({ ...answer, signs: 1, signTime: after(20 * minute) });
    expect(afterSign(answer, failed(), now).signTime).toBe(after(5 * minute));
    expect(afterSign(answer, failed(6 * minute), now).signTime).toBe(after(6 * minute));
  });

  it("does not come where Linear refuses it", () => {
    expect(afterSign(answer, new ProviderError("refused", "no such agent session"), now).signTime).toBeUndefined();
  });

  it.each([
    { signs: 34, want: after(20 * minute) },
    { signs: 35, want: undefined },
    { signs: 36, want: undefined },
  ])("after $signs others comes at $want", ({ signs, want }) => {
    const next = afterSign({ ...answer, signs }, undefined, now);
    expect(next.signTime).toBe(want);
    expect(next.signs).toBe(Math.min(signs + 1, 36));
  });
});
