import { describe, expect, it } from "vitest";
import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import { childVerdict, observeChildren } from "./family.ts";

const created = "2026-05-04T10:00:00Z";
const spec = { idleTimeoutSeconds: 600 };
const parent = aSession({ metadata: { name: "parent", namespace: "team", uid: "s1" }, spec });

const sandboxClasses = { get: () => undefined, list: () => [] };
const owner = { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "parent", uid: "s1" };

function aChild(status?: SessionStatus, deletionTimestamp?: string): Session {
  const metadata = { name: "child", namespace: "team", uid: "c1", creationTimestamp: created, deletionTimestamp };
  return aSession({ metadata, spec, status });
}

function promptOfChild(isSettled: boolean): Prompt {
  const verdict = { status: "False" as const, reason: "Cancelled", message: "", lastTransitionTime: created };
  const status = { conditions: isSettled ? [{ type: "Succeeded", ...verdict }] : [] };
  return aPrompt({ metadata: { name: "child-1" }, spec: { sessionRef: { name: "child" } }, status });
}

describe("a child counts as working", () => {
  const minute = 60_000;

  it.each<[string, Session, Prompt[], number, boolean]>([
    ["while it is made", aChild(), [], 0, true],
    ["just within 2 minutes without a prompt", aChild(), [], 2 * minute - 1, true],
    ["not at 2 minutes without a prompt", aChild(), [], 2 * minute, false],
    ["not after 2 minutes without a prompt", aChild(), [], 2 * minute + 1, false],
    ["with a prompt that comes later", aChild(), [promptOfChild(false)], 60 * minute, true],
    ["not when its only prompt was cancelled", aChild(), [promptOfChild(true)], 0, false],
    ["not when its prompts have ended and are gone", aChild({ promptsEnded: 1 }), [], 0, false],
    ["not when it is being deleted", aChild(undefined, created), [promptOfChild(false)], 0, false],
  ])("%s", (_name, child, own, afterMs, want) => {
    const informers = {
      sessions: { get: () => undefined, byIndex: () => [child] },
      prompts: { byIndex: () => own },
      sandboxClasses,
    };
    const now = new Date(Date.parse(created) + afterMs);
    const [observed] = observeChildren(informers, parent, now);
    const awaits = want && own.length === 0 ? Date.parse(created) + 2 * minute : undefined;
    expect([observed?.isWorking, observed?.awaitsPromptUntilMs]).toEqual([want, awaits]);
  });
});

it.each([
  { reason: "Queued", want: true },
  { reason: "Starting", want: false },
  { reason: undefined, want: false },
])("a child whose Ready is $reason waits for a place: $want", ({ reason, want }) => {
  const ready = {
    type: "Ready",
    status: "False" as const,
    reason: reason ?? "",
    message: "",
    lastTransitionTime: created,
  };
  const child = aChild(reason === undefined ? undefined : { conditions: [ready] });
  const informers = {
    sessions: { get: () => undefined, byIndex: () => [child] },
    prompts: { byIndex: () => [] },
    sandboxClasses,
  };
  expect(observeChildren(informers, parent, new Date(created))[0]?.isQueued).toBe(want);
});

describe("a session whose parent has not decided", () => {
  const label = { "runwright.dev/parent-uid": "s1" };
  const foreign = { ...owner, apiVersion: "example.com/v1" };

  it.each<[string, Session["metadata"], string | undefined]>([
    ["without parent and label is no child", {}, undefined],
    ["with both is a child", { labels: label, ownerReferences: [owner] }, "open"],
    ["with an owner alone is a child", { ownerReferences: [owner] }, "open"],
    ["with the label alone is refused", { labels: label }, "refused"],
    [
      "with a Session of another API group as owner is refused",
      { labels: label, ownerReferences: [foreign] },
      "refused",
    ],
    ["with another owner is refused", { labels: label, ownerReferences: [{ ...owner, uid: "s2" }] }, "refused"],
  ])("%s", (_name, metadata, want) => {
    const informers = {
      sessions: { get: () => parent, byIndex: () => [] },
      prompts: { byIndex: () => [] },
      sandboxClasses,
    };
    const session = aSession({ metadata: { name: "child", namespace: "team", uid: "c1", ...metadata }, spec });
    expect(childVerdict(informers, session)?.kind).toBe(want);
  });
});

it.each<[string, Partial<Session["spec"]>, boolean]>([
  ["a target", { target: { repositoryRefs: [{ name: "other" }] } }, true],
  ["a ServiceAccount", { serviceAccountName: "other" }, true],
  ["a class", { sandboxClassName: "other" }, true],
  ["an agent", { agent: { command: ["sh"], protocol: "exec", permissionRequests: "Reject" } }, true],
  ["settings", { settings: { maxTotalChildSessions: 100 } }, true],
  ["601 s of idleness", { idleTimeoutSeconds: 601 }, true],
  ["600 s of idleness", { idleTimeoutSeconds: 600 }, false],
  ["no idleness", { idleTimeoutSeconds: 0 }, false],
])("a child with %s of its own: %j, refused: %s", (_name, own, isRefused) => {
  const child = aSession({ metadata: { name: "child", namespace: "team", uid: "c1" }, spec: { ...spec, ...own } });
  const informers = {
    sessions: { get: () => undefined, byIndex: () => [child] },
    prompts: { byIndex: () => [] },
    sandboxClasses,
  };
  const [observed] = observeChildren(informers, parent, new Date(created));
  expect(observed?.problem !== undefined).toBe(isRefused);
});
