import { expect, it } from "vitest";

import type { Conversation, Integration, Post, Prompt, Session } from "../../../api/v1alpha1/index.ts";
import { promptNameFor } from "../../conversations/facts.ts";
import { latestRequests } from "./latest-requests.ts";

const integration = { metadata: { namespace: "shop", name: "slack", uid: "u1" } } as Integration;
const session = { metadata: { namespace: "shop", name: "s1", uid: "u2" }, status: {} } as Session;

function post(change: object = {}): Post {
  const slack = { channelID: "C0OPS", threadTS: "1.0", userID: "U0ANN" };
  return {
    id: "p",
    kind: "Answer",
    eventUID: "e1",
    sessionName: "s1",
    progress: "Waiting",
    tries: 0,
    slack,
    ...change,
  };
}

function conversation(change: { spec?: object; posts?: Post[]; day?: number; namespace?: string } = {}): Conversation {
  const { spec = {}, posts = [post()], day = 1, namespace = "shop" } = change;
  return {
    metadata: { namespace },
    spec: { integrationRef: { name: "slack", uid: "u1" }, subject: "thread/C0OPS/1.0", ...spec },
    status: { posts, lastPromptTime: `2026-05-0${day}T10:15:00.000Z`, target: { repositoryRef: { name: `r${day}` } } },
  };
}

function latest(
  conversations: Conversation[],
  { hasSession = true, prompt }: { hasSession?: boolean; prompt?: object } = {},
) {
  const name = promptNameFor(session, "e1");
  return latestRequests(
    {
      conversations,
      session: () => (hasSession ? session : undefined),
      prompt: (asked) => (asked === name && prompt ? ({ metadata: { uid: "u3" }, ...prompt } as Prompt) : undefined),
    },
    integration,
    "U0ANN",
  );
}

const ended = (status: string, reason: string): object => ({
  status: { conditions: [{ type: "Succeeded", status, reason }] },
});

it.each([
  { name: "no session yet", hasSession: false, progress: "Waiting", prompt: undefined, want: "waiting" },
  { name: "no prompt yet", hasSession: true, progress: "Waiting", prompt: undefined, want: "waiting" },
  { name: "a prompt that waits", hasSession: true, progress: "Waiting", prompt: {}, want: "waiting" },
  { name: "an answer", hasSession: true, progress: "Waiting", prompt: ended("True", "Completed"), want: "done" },
  { name: "a failure", hasSession: true, progress: "Sent", prompt: ended("False", "Failed"), want: "failed" },
  { name: "a session that was deleted", hasSession: false, progress: "Sent", prompt: undefined, want: "gone" },
])("a request with $name is $want", ({ hasSession, progress, prompt, want }) => {
  const [first] = latest([conversation({ posts: [post({ progress })] })], { hasSession, ...(prompt && { prompt }) });
  expect(first).toMatchObject({ stage: want, channelID: "C0OPS" });
});

it.each([
  {
    name: "of another person",
    change: { posts: [post({ slack: { channelID: "C1", threadTS: "1.0", userID: "U0BEN" } })] },
  },
  { name: "in which the person was only asked", change: { posts: [post({ kind: "Question" })] } },
  { name: "of another Integration", change: { spec: { integrationRef: { name: "slack", uid: "u9" } } } },
  { name: "of another namespace", change: { namespace: "other" } },
  { name: "of an Automation", change: { spec: { subject: "automation/u5/thread/C0OPS/1.0" } } },
])("a conversation $name is not shown", ({ change }) => {
  expect(latest([conversation(change)])).toEqual([]);
});

it("five are shown, the last one first", () => {
  const shown = latest([2, 6, 1, 4, 3, 5].map((day) => conversation({ day })));
  expect(shown.map(({ target }) => target?.repositoryRef?.name)).toEqual(["r6", "r5", "r4", "r3", "r2"]);
});

it("of a conversation with requests of several people, the person's own last one counts", () => {
  const ben = { channelID: "C0OPS", threadTS: "1.0", userID: "U0BEN" };
  const posts = [post(), post({ eventUID: "e2", progress: "Sent" }), post({ eventUID: "e3", slack: ben })];
  expect(latest([conversation({ posts })])).toMatchObject([{ stage: "gone" }]);
});
