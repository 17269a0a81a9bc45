import { beforeEach, expect, it } from "vitest";

import {
  type Conversation,
  type IntegrationEvent,
  type Post,
  type Prompt,
  Prompt as PromptKind,
  Session,
} from "../../api/v1alpha1/index.ts";
import { promptName } from "../../domain/integrations/names.ts";
import type { KubeObject, ObjectKey, Resource } from "../../lib/resource.ts";
import type { Made } from "./effects.ts";
import { findPromised } from "./promised.ts";

const now = new Date("2026-05-04T10:15:00Z");
const namespace = "shop";
const session = child("chat-1", "s", "c") as Session;
const nameOf = (eventUid: string): string => promptName({ name: "chat-1", uid: "s" }, eventUid);
const promptOf = (eventUid: string): Prompt => child(nameOf(eventUid), `p-${eventUid}`, "s") as Prompt;

/** What is stored, and what was read of it. */
let stored: KubeObject[];
let read: string[];
let made: Made;

beforeEach(() => {
  stored = [session, promptOf("first"), promptOf("second")];
  read = [];
  made = { sessions: new Map(), prompts: new Map() };
});

const client = {
  find<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
    expect(key.namespace).toBe(namespace);
    read.push(`${resource.kind} ${key.name}`);
    return Promise.resolve(stored.find(({ metadata }) => metadata.name === key.name) as T | undefined);
  },
};

function child(name: string, uid: string, owner: string): KubeObject {
  return { metadata: { name, namespace, uid, ownerReferences: [{ kind: "K", name: "o", uid: owner }] } } as KubeObject;
}

function event(uid: string, action: "Created" | "Stopped" = "Created"): IntegrationEvent {
  return { metadata: { uid, namespace }, spec: { linear: { action } } } as unknown as IntegrationEvent;
}

function answer(eventUID: string, rest: Partial<Post> = {}): Post {
  return { id: eventUID, kind: "Answer", eventUID, progress: "Waiting", tries: 0, sessionName: "chat-1", ...rest };
}

interface Case {
  events: readonly IntegrationEvent[];
  posts: readonly Post[];
  sessions?: readonly Session[];
  prompts?: readonly Prompt[];
  expireTime?: string;
}

const namesOf = (objects: readonly KubeObject[]) =>
  objects.map((object) => [object.metadata.name ?? "", object] as const);

/** Looks for what a conversation speaks of whose session was started by the event `first`. */
function find({
  events,
  posts,
  sessions = [],
  prompts = [],
  expireTime = "2026-05-11T10:15:00Z",
}: Case): Promise<boolean> {
  const status = { sessionName: "chat-1", startEventUID: "first", expireTime, posts };
  const facts = {
    conversation: { metadata: { name: "chat", namespace, uid: "c" }, spec: {}, status } as unknown as Conversation,
    events,
    known: new Map(events.map((one) => [one.metadata.uid ?? "", one])),
    sessions: new Map(namesOf(sessions) as [string, Session][]),
    prompts: new Map(namesOf(prompts) as [string, Prompt][]),
  };
  return findPromised(client, { facts, made }, now);
}

const sessionRead = `${Session.kind} chat-1`;
const promptRead = (eventUid: string): string => `${PromptKind.kind} ${nameOf(eventUid)}`;

it.each<{ what: string } & Case>([
  { what: "the first request is worked on", events: [event("first")], posts: [answer("first")] },
  {
    what: "all is known",
    events: [event("third")],
    posts: [answer("first")],
    sessions: [session],
    prompts: [promptOf("first")],
  },
  {
    what: "the prompt of a follow-up is still to be made",
    events: [event("second")],
    posts: [answer("second")],
    sessions: [session],
  },
  { what: "all posts are done", events: [], posts: [answer("first", { progress: "Sent" })] },
  { what: "a post waits for a Run's prompt", events: [], posts: [answer("first", { promptName: "run-0-1" })] },
])("reads nothing where $what", async (one) => {
  expect(await find(one)).toBe(false);
  expect(read).toEqual([]);
});

it.each<{ what: string; want: readonly string[] } & Case>([
  {
    what: "the session that a new request goes to",
    events: [event("third")],
    posts: [answer("first", { progress: "Sent" })],
    want: [sessionRead],
  },
  {
    what: "the session that a request was promised before the thread's time was over",
    expireTime: "2026-05-04T10:14:59Z",
    events: [event("second")],
    posts: [answer("second")],
    want: [sessionRead],
  },
  {
    what: "the prompt that a post waits for",
    events: [],
    posts: [answer("first")],
    sessions: [session],
    want: [promptRead("first")],
  },
  { what: "both", events: [], posts: [answer("first")], want: [sessionRead, promptRead("first")] },
  {
    what: "each prompt that a stop may have to cancel",
    events: [event("stop", "Stopped"), event("second")],
    posts: [answer("first"), answer("second")],
    want: [sessionRead, promptRead("first"), promptRead("second")],
  },
])("finds $what, which caches do not have", async ({ want, ...one }) => {
  expect(await find(one)).toBe(true);
  expect(read).toEqual(want);
  const found = [...made.sessions.keys(), ...made.prompts.keys()];
  expect(found).toEqual(want.map((name) => name.split(" ")[1]));
});

it.each<[string, () => void]>([
  ["gone", () => stored.splice(0, 1)],
  ["another's", () => (stored[0] = child("chat-1", "s", "other"))],
  [
    "deleted",
    () => {
      stored[0] = { ...session, metadata: { ...session.metadata, deletionTimestamp: "2026-05-04T10:14:00Z" } };
    },
  ],
])("takes no session that is %s", async (_what, change) => {
  change();
  expect(await find({ events: [], posts: [answer("first")] })).toBe(false);
  expect([...made.sessions, ...made.prompts]).toEqual([]);
});
