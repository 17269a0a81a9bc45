import { describe, expect, it } from "vitest";

import type { Conversation, IntegrationEvent, Prompt, Run, Session } from "../../../api/v1alpha1/index.ts";
import { courseOf, type ThreadFacts } from "./decide.ts";

const day = 86_400_000;
const began = Date.parse("2026-05-01T10:00:00Z");

function reply(afterMs = 60_000): IntegrationEvent {
  const receivedTime = new Date(began + afterMs).toISOString();
  const slack = { channelID: "C0OPS", threadTS: "1.0", ts: "2.0" };
  return { metadata: { uid: "e2" }, spec: { receivedTime, slack } } as unknown as IntegrationEvent;
}

const conversation = {
  metadata: { name: "c" },
  status: {
    runName: "r",
    sessionName: "r-0",
    startEventUID: "e1",
    expireTime: new Date(began + 7 * day).toISOString(),
  },
} as unknown as Conversation;
const session = { metadata: { name: "r-0", uid: "s" } } as Session;
const deleted = { metadata: { ...session.metadata, deletionTimestamp: "2026-05-01T11:00:00Z" } } as Session;
const run = (status?: "True" | "False" | "Unknown", rest: object = {}): Run =>
  ({ metadata: rest, status: status && { conditions: [{ type: "Succeeded", status }] } }) as unknown as Run;

function kindOf(facts: Partial<ThreadFacts>, event = reply()): string {
  return courseOf(event, { unfinishedPrompts: 0, ...facts }).kind;
}

describe("a reply", () => {
  it.each<[string, Partial<ThreadFacts>, string]>([
    ["in a thread without a Run", {}, "start"],
    ["in a thread that is noted, and whose Run is not", { conversation: { ...conversation, status: {} } }, "start"],
    ["in the thread of a Run", { conversation, session }, "steer"],
    ["to a session with 49 unfinished prompts", { conversation, session, unfinishedPrompts: 49 }, "steer"],
    ["to a session with 50 unfinished prompts", { conversation, session, unfinishedPrompts: 50 }, "start"],
    ["to a session that is being deleted", { conversation, session: deleted }, "start"],
    ["before the Run was looked at", { conversation, run: run() }, "early"],
    ["before the Run has a session", { conversation, run: run("Unknown") }, "early"],
    ["to a Run that ended without a session", { conversation, run: run("False") }, "start"],
    ["to a Run that is gone", { conversation }, "start"],
    ["to a Run that is being deleted", { conversation, run: run(undefined, { deletionTimestamp: "x" }) }, "start"],
  ])("%s", (_name, facts, want) => {
    expect(kindOf(facts)).toBe(want);
  });

  it.each([
    [0, "steer"],
    [6 * day, "steer"],
    [7 * day, "steer"],
    [7 * day + 1, "start"],
    [8 * day, "start"],
  ])("%i ms after the first message: %s", (afterMs, want) => {
    expect(kindOf({ conversation, session }, reply(afterMs))).toBe(want);
  });

  it("that came before the session was there is as old as any other", () => {
    expect(kindOf({ conversation, run: run() }, reply(7 * day + 1))).toBe("start");
  });

  it("of which there is a prompt stays with it, though the session takes no more", () => {
    const prompt = {} as Prompt;
    const facts = { conversation, session, prompt, unfinishedPrompts: 50 };
    expect(kindOf(facts, reply(7 * day + 1))).toBe("steer");
  });
});

describe("the first message of a thread, where a reply came first", () => {
  const first = (afterMs?: number): IntegrationEvent => {
    const { metadata, spec } = reply(afterMs);
    return { metadata, spec: { ...spec, slack: { action: "Said", channelID: "C0OPS", threadTS: "1.0", ts: "1.0" } } };
  };

  it.each<[string, Partial<ThreadFacts>, string]>([
    ["which started nothing", {}, "start"],
    ["which started a Run", { conversation, run: run() }, "startedByReply"],
    ["which started a Run that has a session", { conversation, session }, "startedByReply"],
  ])("%s", (_name, facts, want) => {
    expect(kindOf(facts, first())).toBe(want);
  });

  it.each([
    [7 * day, "startedByReply"],
    [7 * day + 1, "start"],
  ])("%i ms before: %s", (afterMs, want) => {
    expect(kindOf({ conversation }, first(afterMs))).toBe(want);
  });
});

it("the message that started the Run has done so, whatever became of the session", () => {
  const event = { ...reply(), metadata: { uid: "e1" } };
  expect(courseOf(event, { conversation, unfinishedPrompts: 0 })).toEqual({ kind: "started", runName: "r" });
});
