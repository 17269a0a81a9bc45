import { describe, expect, it } from "vitest";

import {
  conditionTypes,
  type Integration,
  type IntegrationEvent,
  type PullRequest,
} from "../../../api/v1alpha1/index.ts";
import { findCondition } from "../../../domain/conditions.ts";
import { done, requeueAfter } from "../../../kube/outcome.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { ProviderError } from "../../provider-error.ts";
import { feedbackId } from "../autofix/resources.ts";
import { PullRequestEvents, type PullRequestEventDeps } from "./events.ts";

const namespace = "tenant";
const clock = new FakeClock();
const anIntegration = (uid: string): Integration =>
  ({
    metadata: { name: uid, namespace, uid },
    spec: { type: "GitHub", github: { slug: "helper", repositories: [{ name: "api" }] } },
  }) as unknown as Integration;

/** An event of an Integration that says that pull request 7 has changed, so long ago. */
function aChange(uid: string, integration: string, agoMs = 0): IntegrationEvent {
  const time = new Date(clock.now().getTime() - agoMs).toISOString();
  return {
    metadata: { name: uid, namespace, uid, creationTimestamp: time },
    spec: {
      integrationRef: { name: integration, uid: integration },
      deliveryID: uid,
      receivedTime: time,
      github: { action: "Changed", repository: { id: 1, name: "acme/api" }, number: 7 },
    },
  };
}

/** An event that a comment was left on pull request 7. */
function aComment(uid: string, integration: string): IntegrationEvent {
  const { spec, ...event } = aChange(uid, integration);
  return {
    ...event,
    spec: { ...spec, github: { ...spec.github, action: "Commented", commentID: 5 } },
  };
}

/** The PullRequest of an Integration, with feedback that was not answered yet. */
function aPullRequest(integration: string, { isOpen = true } = {}): PullRequest {
  const feedback = [{ id: "f", promptName: "gone", progress: "Waiting", kind: "Comment", objectID: 1, eventUID: "x" }];
  return {
    metadata: { name: `of-${integration}`, namespace, uid: integration },
    spec: {
      integrationRef: { name: integration, uid: integration },
      sessionRef: { name: "gone", uid: "s" },
      repositoryRef: { name: "api" },
      repository: "acme/api",
    },
    status: isOpen ? { repositoryID: 1, number: 7, feedback } : {},
  } as unknown as PullRequest;
}

/** One pass over pull request 7: what was settled and how, whose answers were looked at, and when it is looked at again. */
async function pass({
  events,
  pullRequests = [],
  opening = [],
  away = [],
}: {
  events: IntegrationEvent[];
  pullRequests?: PullRequest[];
  /** Those whose number is not known. */
  opening?: PullRequest[];
  /** UIDs of Integrations for which GitHub gives no answer. */
  away?: string[];
}) {
  const settled: [string, string | undefined][] = [];
  const dropped: string[] = [];
  const skipped: unknown[] = [];
  const deps = {
    clock,
    client: {
      find: () => Promise.resolve(undefined),
      patchStatus: (_kind: unknown, object: IntegrationEvent | PullRequest, status: PullRequest["status"]) => {
        const verdict = findCondition(status?.conditions, conditionTypes.succeeded);
        if ("deliveryID" in object.spec) settled.push([object.metadata.name ?? "", verdict?.reason]);
        else if (status?.skips) skipped.push(...status.skips);
        else if (status?.feedback?.[0]?.progress === "Dropped") dropped.push(object.metadata.uid ?? "");
        return Promise.resolve({ ...object, status });
      },
    },
    github: {
      call: ({ metadata }: Integration) =>
        away.includes(metadata.uid ?? "")
          ? Promise.reject(new ProviderError("unavailable", "GitHub is away"))
          : Promise.resolve({ state: "open", updated_at: "2026-05-04T10:00:00Z" }),
    },
    informers: {
      integrations: { get: ({ name }: { name: string }) => anIntegration(name) },
      events: { byIndex: () => events },
      prompts: { get: () => undefined },
      repositories: { get: () => undefined },
      pullRequests: { byIndex: () => pullRequests, list: () => [...pullRequests, ...opening] },
    },
    connectorMetrics: { eventSettled: () => undefined },
  } as unknown as PullRequestEventDeps;
  const outcome = await new PullRequestEvents(deps, new AbortController().signal).reconcile({ namespace, name: "1-7" });
  return { outcome, settled, dropped, skipped };
}

it("an event that waits for GitHub holds up the later ones of its PullRequest alone, and no answer", async () => {
  const events = [aChange("a1", "a"), aChange("a2", "a"), aChange("b1", "b")];
  expect(await pass({ events, pullRequests: [aPullRequest("a"), aPullRequest("b")], away: ["a"] })).toEqual({
    outcome: requeueAfter(1_000),
    settled: [["b1", "PullRequestUpdated"]],
    dropped: ["a", "b"],
    skipped: [],
  });
});

it.each([
  { agoMs: 0, want: requeueAfter(1_000) },
  { agoMs: 20_000, want: requeueAfter(10_000) },
  { agoMs: 3_599_999, want: requeueAfter(60_000) },
  { agoMs: 3_600_000, want: done },
])("an event of $agoMs ms ago waits for a pull request that is being opened", async ({ agoMs, want }) => {
  const { outcome, settled } = await pass({
    events: [aChange("e", "a", agoMs)],
    opening: [aPullRequest("a", { isOpen: false })],
  });
  expect(outcome).toEqual(want);
  expect(settled).toEqual(want === done ? [["e", "UntrackedPullRequest"]] : []);
});

it("an event of a pull request that nobody is opening waits for none", async () => {
  const { outcome, settled } = await pass({
    events: [aChange("e", "a")],
    opening: [aPullRequest("b", { isOpen: false })],
  });
  expect({ outcome, settled }).toEqual({ outcome: done, settled: [["e", "UntrackedPullRequest"]] });
});

it("feedback that is skipped is noted on the PullRequest of its Integration, with the check that stopped it", async () => {
  const { settled, skipped } = await pass({
    events: [aComment("e", "a")],
    pullRequests: [aPullRequest("a"), aPullRequest("b")],
  });
  expect(settled).toEqual([["e", "UntrackedPullRequest"]]);
  expect(skipped).toEqual([
    expect.objectContaining({ kind: "Comment", objectID: 5, eventUID: "e", reason: "UntrackedPullRequest" }),
  ]);
});

describe("feedback that was skipped before", () => {
  const skippedBy = (eventUID: string, objectID = 5): PullRequest => {
    const pullRequest = aPullRequest("a");
    const id = feedbackId(pullRequest, { kind: "Comment", objectID });
    const skip = { id, kind: "Comment", objectID, eventUID, time: "t", reason: "AttemptLimit", message: "m" } as const;
    return { ...pullRequest, status: { repositoryID: 1, number: 7, skips: [skip] } };
  };

  it("is left alone when another event brings it", async () => {
    const { settled, skipped } = await pass({ events: [aComment("e", "a")], pullRequests: [skippedBy("earlier")] });
    expect({ settled, skipped }).toEqual({ settled: [["e", "NothingToDo"]], skipped: [] });
  });

  it("is judged again where the process ended before its event was settled", async () => {
    const { settled, skipped } = await pass({ events: [aComment("e", "a")], pullRequests: [skippedBy("e")] });
    expect(settled).toEqual([["e", "UntrackedPullRequest"]]);
    expect(skipped).toEqual([expect.objectContaining({ eventUID: "e", reason: "UntrackedPullRequest" })]);
  });

  it("does not stand for other feedback", async () => {
    const { settled } = await pass({ events: [aComment("e", "a")], pullRequests: [skippedBy("earlier", 6)] });
    expect(settled).toEqual([["e", "UntrackedPullRequest"]]);
  });
});

it("feedback on a pull request that is not tracked is noted on no other", async () => {
  const { settled, skipped } = await pass({ events: [aComment("e", "a")], pullRequests: [aPullRequest("b")] });
  expect({ settled, skipped }).toEqual({ settled: [["e", "UntrackedPullRequest"]], skipped: [] });
});
