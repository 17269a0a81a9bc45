import { expect, it } from "vitest";

import { aPrompt, aPullRequest, aVerdict } from "../../../../test/support/builders.ts";
import type {
  Integration,
  IntegrationEvent,
  Prompt,
  PullRequest,
  PullRequestStatus,
} from "../../../api/v1alpha1/index.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { type AnswerDeps, answerFeedback } from "./answers.ts";

const time = "2026-05-04T10:15:00Z";
const pullRequest = aPullRequest({
  metadata: { namespace: "shop" },
  status: {
    repositoryID: 7,
    number: 12,
    feedback: [
      {
        id: "f",
        kind: "Review",
        objectID: 3,
        eventUID: "e",
        admittedTime: time,
        promptName: "fix-f",
        progress: "Waiting",
      },
    ],
  },
});
const working = aPrompt({ metadata: { namespace: "shop", name: "fix-f" } });
const done = { ...working, status: { conditions: [aVerdict(true, "Completed", new Date(0))] } };

function anEvent(settledTime?: string): IntegrationEvent {
  return { metadata: { uid: "e" }, status: { settledTime } } as IntegrationEvent;
}

interface World {
  cached?: Prompt | undefined;
  stored?: Prompt | undefined;
  events?: readonly IntegrationEvent[];
}

/** What is done about the feedback: calls of GitHub, and what it is at after each write. */
async function answer({ cached, stored, events = [] }: World) {
  const did: string[] = [];
  const patchStatus = (_resource: unknown, object: PullRequest, status: PullRequestStatus): Promise<PullRequest> => {
    did.push(status.feedback?.[0]?.progress ?? "none");
    return Promise.resolve({ ...object, status });
  };
  const deps = {
    clock: new FakeClock(),
    client: { find: () => Promise.resolve(stored), patchStatus },
    github: { call: () => Promise.resolve(void did.push("comment")) },
    informers: {
      prompts: { get: () => cached },
      events: { byIndex: (_name: string, key: string) => (key === "shop/7-12" ? events : []) },
    },
  } as unknown as AnswerDeps;
  const integration = { metadata: { namespace: "shop" }, spec: { github: { slug: "bot" } } } as Integration;
  const waitMs = await answerFeedback(deps, { integration, pullRequest }, new AbortController().signal);
  return { did, waitMs };
}

it("feedback is answered once, when its prompt has ended", async () => {
  expect((await answer({ cached: done, stored: done })).did).toEqual(["Waiting", "comment", "Sent"]);
});

it("feedback whose prompt was deleted is not answered", async () => {
  expect((await answer({ events: [anEvent(time)] })).did).toEqual(["Dropped"]);
  expect((await answer({})).did).toEqual(["Dropped"]);
});

it.each<World & { name: string }>([
  { name: "its prompt is at work", cached: working, stored: working },
  { name: "its prompt is at work, and the cache does not have it yet", stored: working },
  { name: "the event that brought it is still to make its prompt", events: [anEvent()] },
])("feedback waits where $name", async (world) => {
  expect(await answer(world)).toEqual({ did: [], waitMs: undefined });
});
