import { describe, expect, it } from "vitest";

import { aVerdict } from "../../../test/support/builders.ts";
import {
  type Conversation,
  conditionTypes,
  type IntegrationEvent,
  type LinearEvent,
  type Post,
  type Prompt,
  type Session,
} from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { KubeError } from "../../kube/errors.ts";
import { decide } from "./decide.ts";
import { type ConversationEffect, type EffectsDeps, performAll } from "./effects.ts";
import type { ConversationFacts } from "./facts.ts";
import { inTurn } from "./turns.ts";

const now = new Date("2026-05-11T10:00:00.000Z");
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();

function eventOf(uid: string, linear: Partial<LinearEvent>, { version = 1, ageMs = 0 } = {}): IntegrationEvent {
  const actor = { id: "ann" };
  return {
    metadata: { name: uid, namespace: "shop", uid, resourceVersion: String(version) },
    spec: {
      integrationRef: { name: "tracker", uid: "t" },
      deliveryID: uid,
      receivedTime: ago(ageMs),
      linear: { action: "Prompted", agentSessionID: "a", issueID: "i", teamKey: "ENG", actor, ...linear },
    },
  };
}

const stop = (ageMs = 0, version = 9): IntegrationEvent => eventOf("stop", { action: "Stopped" }, { version, ageMs });
const session = { metadata: { name: "s", uid: "s" } } as Session;
const prompt = { metadata: { name: "p" }, spec: { sessionRef: { name: "s" } }, status: {} } as unknown as Prompt;
const ended = {
  ...prompt,
  metadata: { name: "e" },
  status: { completionTime: ago(0), conditions: [aVerdict(true, "Completed", now)] },
} as Prompt;
const waiting: Post = {
  id: "w",
  kind: "Answer",
  eventUID: "old",
  agentSessionID: "a",
  progress: "Waiting",
  tries: 0,
  sessionName: "s",
};
const refusalThat = (text: string): Post => ({
  ...waiting,
  id: "r",
  kind: "StopRefusal",
  eventUID: "stop",
  progress: "Pending",
  text,
});
const mapping = { generation: 1, sessionName: "s", startEventUID: "old", expireTime: ago(-1_000) };

interface Given {
  events?: IntegrationEvent[];
  posts?: Post[];
  status?: object;
  isNew?: boolean;
  access?: object;
}

/** An issue whose session is at work, and a stop. */
function factsOf(given: Given = {}): ConversationFacts {
  const { events = [stop()], posts = [waiting], status = mapping, isNew = false } = given;
  const { access = { users: ["ann"], teams: [] } } = given;
  const conversation = {
    metadata: { name: "c", uid: "c" },
    spec: { subject: "issue/i" },
    status: { ...status, posts },
  };
  return {
    integration: { metadata: { name: "tracker", namespace: "shop", uid: "t" }, spec: { access } },
    conversation: isNew ? undefined : (conversation as unknown as Conversation),
    events: inTurn(events),
    known: new Map(),
    sessions: new Map([["s", session]]),
    prompts: new Map([
      ["p", prompt],
      ["e", ended],
    ]),
  } as unknown as ConversationFacts;
}

const effectsOf = (given?: Given): readonly ConversationEffect[] => decide(factsOf(given), now).effects;

/** What an effect comes to: the posts that are written, or the event that is settled and why. */
function said(effect: ConversationEffect | undefined): unknown {
  if (effect?.kind === "writeStatus")
    return effect.status.posts?.map(({ kind, progress, text }) => [kind, progress, text]);
  if (effect?.kind !== "settleEvent") return effect?.kind;
  return [effect.event.metadata.uid, findCondition(effect.status.conditions, conditionTypes.succeeded)?.reason];
}

const stopped = ["StopNotice", "Pending", "Stopped."];
const denied =
  "You are not on the list of people who may ask this agent for work, or stop it. Ask the operator of Runwright to add you or your team.";
const failed =
  "The work could not be stopped, so it goes on. Stop it again, or ask the operator of Runwright to cancel it.";

it("cancels what is at work, drops its answer and the mapping, and says so", () => {
  const [cancel, written] = effectsOf();
  expect(cancel).toMatchObject({ kind: "cancelPrompts", prompts: [{ metadata: { name: "p" } }] });
  expect(said(written)).toEqual([["Answer", "Dropped", undefined], stopped]);
  expect(written?.kind === "writeStatus" && written.status.sessionName).toBeUndefined();
});

it.each([
  { name: "of what does not run", given: { posts: [], status: {} } },
  { name: "of what does not run, by a person on no list", given: { posts: [], status: {}, access: {} } },
  { name: "before anything was asked", given: { isNew: true } },
])("$name does nothing", ({ given }) => {
  const access = { users: [], teams: [], ...("access" in given ? given.access : { users: ["ann"] }) };
  expect(effectsOf({ ...given, access }).map(said)).toEqual([["stop", "NothingToDo"]]);
});

describe("by a person on no list", () => {
  const access = { users: ["ben"], teams: ["OPS"] };

  it("cancels nothing; the person reads so, and the answer comes", () => {
    expect(effectsOf({ access }).map(said)).toEqual([
      [
        ["Answer", "Waiting", undefined],
        ["StopRefusal", "Pending", denied],
      ],
    ]);
  });

  it("is settled as denied", () => {
    expect(effectsOf({ access, posts: [waiting, refusalThat(denied)] }).map(said)).toEqual([["stop", "AccessDenied"]]);
  });

  it("takes no request back", () => {
    const events = [eventOf("request", { action: "Created" }), stop()];
    expect(effectsOf({ access, events, posts: [], status: {} }).map(said)).toEqual([
      [["StopRefusal", "Pending", denied]],
    ]);
  });
});

describe("that is refused by the API server", () => {
  /** Performs a stop whose cancels are answered with this status; gives what was written in place of it. */
  async function perform(ageMs: number, status: number): Promise<unknown> {
    const writes: unknown[] = [];
    const client = {
      patch: () => Promise.reject(new KubeError({ status, reason: "x", message: "refused" } as never)),
      patchStatus: (_kind: unknown, _object: unknown, written: object) => Promise.resolve(void writes.push(written)),
    } as unknown as EffectsDeps["client"];
    const made = { sessions: new Map(), prompts: new Map() };
    const deps = { client, made, tell: () => Promise.reject(new Error("nothing is told")) };
    await performAll(deps, effectsOf({ events: [stop(ageMs)] }), new AbortController().signal);
    return writes;
  }

  it.each([403, 422])(
    "with %i is tried again for 10 seconds; then the person reads that the work goes on",
    async (status) => {
      await expect(perform(9_999, status)).rejects.toThrow("refused");
      for (const ageMs of [10_000, 10_001]) {
        const posts = [
          { kind: "Answer", progress: "Waiting" },
          { kind: "StopRefusal", text: failed },
        ];
        expect(await perform(ageMs, status)).toMatchObject([{ sessionName: "s", posts }]);
      }
    },
  );

  it("with 500 is tried again, however long it takes", async () => {
    await expect(perform(3_600_000, 500)).rejects.toThrow("refused");
  });

  it("of a prompt that is gone is carried out", async () => {
    expect(await perform(0, 404)).toMatchObject([{ sessionName: undefined }]);
  });

  it("is settled so that the next message goes to the session", () => {
    expect(effectsOf({ posts: [waiting, refusalThat(failed)] }).map(said)).toEqual([["stop", "StopFailed"]]);
  });
});

describe("behind a request that waits", () => {
  const request = eventOf("request", { action: "Created" }, { version: 5 });
  const events = [request, stop()];
  const notice: Post = {
    ...waiting,
    id: "n",
    kind: "StopNotice",
    eventUID: "stop",
    progress: "Pending",
    text: "Stopped.",
  };

  it("goes before it, says that it is stopped, and takes it back", () => {
    expect(effectsOf({ events, isNew: true }).map(said)).toEqual(["createConversation"]);
    expect(effectsOf({ events, posts: [], status: {} }).map(said)).toEqual(["cancelPrompts", [stopped]]);
    expect(effectsOf({ events, posts: [notice], status: {} }).map(said)).toEqual([["request", "NothingToDo"]]);
    expect(effectsOf({ events: [stop()], posts: [notice], status: {} }).map(said)).toEqual([
      ["stop", "SessionStopped"],
    ]);
  });

  it.each([
    { name: "came after it", other: eventOf("request", { action: "Created" }, { version: 10 }) },
    { name: "is of another agent session", other: eventOf("request", { agentSessionID: "b" }, { version: 5 }) },
  ])("leaves alone what $name", ({ other }) => {
    expect(effectsOf({ events: [other, stop()], posts: [notice], status: {} }).map(said)).toEqual([
      ["stop", "SessionStopped"],
    ]);
  });

  it("has a request that was decided and has no prompt taken back as well", () => {
    const posts = [{ ...waiting, eventUID: "request", progress: "Dropped" as const }];
    expect(effectsOf({ events: [request], posts, status: {} }).map(said)).toEqual([["request", "NothingToDo"]]);
  });
});

it("takes a question back, so that the next message is a request", () => {
  const question: Post = { ...waiting, id: "q", kind: "Question", eventUID: "asked", progress: "Sent" };
  expect(effectsOf({ posts: [question], status: {} }).map(said)).toEqual(["cancelPrompts", [stopped]]);
});
