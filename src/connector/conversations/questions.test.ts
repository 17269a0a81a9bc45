import { describe, expect, it } from "vitest";

import type { Conversation, IntegrationEvent, LinearEvent, Post, Session } from "../../api/v1alpha1/index.ts";
import { decide } from "./decide.ts";
import type { ConversationEffect } from "./effects.ts";
import type { ConversationFacts, FoundTarget, Reading } from "./facts.ts";

const now = new Date("2026-05-11T10:00:00.000Z");
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();
const day = 86_400_000;
const target = { repositoryRef: { name: "web" } };
const clear: FoundTarget = { kind: "target", target };
const unclear: FoundTarget = { kind: "ask", question: "Which one?" };

function eventOf(uid: string, linear: Partial<LinearEvent>, ageMs = 0): IntegrationEvent {
  const fields: LinearEvent = {
    action: "Prompted",
    agentSessionID: "a",
    issueID: "i",
    teamKey: "ENG",
    actor: { id: "ann" },
    ...linear,
  };
  const integrationRef = { name: "tracker", uid: "t" };
  return {
    metadata: { name: uid, namespace: "shop", uid },
    spec: { integrationRef, deliveryID: uid, receivedTime: ago(ageMs), linear: fields },
  };
}

const request = (ageMs: number): IntegrationEvent => eventOf("request", { action: "Created" }, ageMs);
const question: Post = {
  id: "q",
  kind: "Question",
  eventUID: "request",
  agentSessionID: "a",
  progress: "Sent",
  tries: 0,
  text: "Which one?",
};
const answer = eventOf("answer", { actor: { id: "ben" }, text: "acme/web" });

interface Given {
  events?: IntegrationEvent[];
  known?: IntegrationEvent[];
  posts?: Post[];
  status?: object;
  found?: FoundTarget;
}

/** An issue whose session of an earlier mention is at work, and a mention anew that was answered by a question. */
function factsOf({ events = [answer], known = [request(0)], posts = [question], status, found = clear }: Given = {}) {
  const reading: Reading = { kind: "read", title: "ENG-1", text: "text", target: found, isWhole: true };
  return {
    integration: {
      metadata: { name: "tracker", namespace: "shop", uid: "t" },
      spec: { access: { teams: ["ENG"], users: [] }, linear: { organizationID: "o" } },
    },
    conversation: {
      metadata: { name: "c", namespace: "shop", uid: "c" },
      spec: { subject: "issue/i" },
      status: { generation: 1, sessionName: "old", startEventUID: "old", expireTime: ago(-day), posts, ...status },
    } as unknown as Conversation,
    events,
    known: new Map([...known, ...events].map((event) => [event.metadata.uid ?? "", event])),
    sessions: new Map([["old", { metadata: { name: "old", uid: "old" } } as Session]]),
    prompts: new Map(),
    reading,
  } as unknown as ConversationFacts;
}

function written(facts: ConversationFacts): NonNullable<Conversation["status"]> {
  const [effect] = decide(facts, now).effects;
  if (effect?.kind !== "writeStatus") throw new Error(`no status is written but ${effect?.kind ?? "nothing"}`);
  return effect.status;
}

describe("an answer to a question", () => {
  it("starts the session that was asked for, though an earlier one of the issue is at work", () => {
    const status = written(factsOf());
    expect(status).toMatchObject({
      generation: 2,
      startEventUID: "answer",
      target,
    });
    expect(status.posts?.map(({ kind }) => kind)).toEqual(["Answer", "StartIssue"]);
    expect(status.posts?.[0]).toMatchObject({ eventUID: "answer", requestUIDs: ["request"] });
  });

  it("that leaves it unclear is asked again, and the request is not forgotten", () => {
    const status = written(factsOf({ found: unclear }));
    expect(status).toMatchObject({ generation: 1, sessionName: "old" });
    expect(status.posts).toMatchObject([{ kind: "Question", eventUID: "answer", requestUIDs: ["request"] }]);
  });

  it.each([
    { earlier: 8, want: 9 },
    { earlier: 9, want: 10 },
    { earlier: 10, want: 10 },
  ])("after $earlier answers before has $want requests beside it, the first among them", ({ earlier, want }) => {
    const requestUIDs = ["request", ...Array.from({ length: earlier - 1 }, (_, index) => `answer ${index}`)];
    const posts = [{ ...question, requestUIDs, eventUID: "last" }];
    const [post] = written(factsOf({ posts })).posts ?? [];
    expect(post?.requestUIDs).toHaveLength(want);
    expect(post?.requestUIDs?.[0]).toBe("request");
    expect(post?.requestUIDs?.at(-1)).toBe("last");
  });

  it("has the session and its prompt asked for by who asked, and moves no issue for an automation", () => {
    const posts: Post[] = [
      { ...question, id: "x", kind: "Answer", eventUID: "answer", requestUIDs: ["request"], sessionName: "new" },
    ];
    const facts = factsOf({ posts, status: { startEventUID: "answer", sessionName: "new" } });
    const made = (of: ConversationFacts): ConversationEffect | undefined => decide(of, now).effects[0];
    expect(made(facts)).toMatchObject({
      session: { metadata: { annotations: { "runwright.dev/requested-by": "linear:o:ann" } } },
    });
    const session = { metadata: { name: "new", uid: "new" } } as Session;
    expect(made({ ...facts, sessions: new Map([["new", session]]) })).toMatchObject({
      prompt: { metadata: { annotations: { "runwright.dev/requested-by": "linear:o:ann" } } },
    });
    const ofAutomation = request(0);
    delete ofAutomation.spec.linear?.actor;
    expect(written(factsOf({ known: [ofAutomation] })).posts?.map(({ kind }) => kind)).toEqual(["Answer"]);
  });
});

it.each([
  { name: "a millisecond before 7 days", ageMs: 7 * day - 1, isAnswer: true },
  { name: "after 7 days", ageMs: 7 * day, isAnswer: true },
  { name: "a millisecond after 7 days", ageMs: 7 * day + 1, isAnswer: false },
])("a message $name answers the question: $isAnswer", ({ ageMs, isAnswer }) => {
  const { posts = [], generation } = written(factsOf({ known: [request(ageMs)] }));
  expect(generation).toBe(isAnswer ? 2 : 1);
  expect(posts.find(({ kind }) => kind === "Answer")?.sessionName === "old").toBe(!isAnswer);
});

it.each([
  { name: "at another agent session", given: { events: [eventOf("other", { agentSessionID: "b" })] } },
  { name: "to a question whose request is gone", given: { known: [] } },
  { name: "where nothing was asked", given: { posts: [] } },
])("a message $name is a follow-up", ({ given }) => {
  expect(written(factsOf(given))).toMatchObject({ generation: 1, sessionName: "old" });
});

it("a mention at the same place takes the question away, so that the next message follows it", () => {
  const again = eventOf("again", { action: "Created" });
  expect(written(factsOf({ events: [again] })).posts?.map(({ kind }) => kind)).toEqual(["Answer", "StartIssue"]);
});

it("a message that finds no session any more says so, and an answer does not", () => {
  const gone = (given: Given): (string | undefined)[] =>
    written({ ...factsOf(given), sessions: new Map() }).posts?.map(({ kind }) => kind) ?? [];
  expect(gone({ posts: [] })).toContain("Note");
  expect(gone({})).not.toContain("Note");
});
