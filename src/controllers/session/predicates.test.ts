import { expect, it } from "vitest";
import { annotations, labels } from "../../api/v1alpha1/names.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Sandbox } from "../../api/v1alpha1/session-sandbox.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { aPrompt, aSession, aVerdict } from "../../../test/support/builders.ts";
import type { Change } from "../../kube/cache.ts";
import type { Lease, Pod } from "../../kube/core-resources.ts";
import { leaseMatters, podMatters, promptMatters } from "./predicates.ts";

const epochMs = Date.parse("2026-05-04T10:00:00.000Z");

function time(ms: number): string {
  return new Date(epochMs + ms).toISOString();
}

function withSandbox(sandbox: Partial<Sandbox>): Session {
  return aSession({ status: { sandbox: { attempt: 1, podName: "fix-x-1", createTime: time(0), ...sandbox } } });
}

function aLease(said: Record<string, string> = {}): Lease {
  return { metadata: { name: "s1-1", annotations: { [annotations.connectedTime]: time(0), ...said } } };
}

const started = withSandbox({ containerStartTime: time(0) });
const ready = aLease({ [annotations.readyTime]: time(1) });
const failed = aLease({ [annotations.bootFailure]: "{}" });
const renewed: Lease = { ...aLease(), spec: { renewTime: time(30_000) } };

it.each<[string, Change<Lease>, Session | undefined, number, boolean]>([
  ["a connection before boot is shown", { type: "added", object: aLease() }, started, 9_999, false],
  ["a connection when boot is shown", { type: "added", object: aLease() }, started, 10_000, true],
  ["a connection after that", { type: "added", object: aLease() }, started, 10_001, true],
  ["a connection before the container was seen", { type: "added", object: aLease() }, withSandbox({}), 60_000, false],
  ["a connection of no session", { type: "added", object: aLease() }, undefined, 60_000, false],
  [
    "a connection that came back after boot",
    { type: "added", object: aLease() },
    withSandbox({ containerStartTime: time(0), readyTime: time(1) }),
    60_000,
    false,
  ],
  ["a Lease that is first seen ready", { type: "added", object: ready }, started, 1, true],
  ["a Lease that is first seen with a failure", { type: "added", object: failed }, started, 1, true],
  ["ready", { type: "updated", object: ready, old: aLease() }, started, 1, true],
  ["a boot that failed", { type: "updated", object: failed, old: aLease() }, started, 1, true],
  ["a renewal", { type: "updated", object: renewed, old: aLease() }, started, 60_000, false],
  ["a deletion", { type: "deleted", object: ready, old: ready }, started, 60_000, false],
])("of a Lease, %s", (_name, change, session, atMs, want) => {
  expect(leaseMatters(change, session, new Date(epochMs + atMs))).toBe(want);
});

it.each<[string, Change<Prompt>, boolean]>([
  ["one that came", { type: "added", object: aPrompt() }, true],
  ["another label", { type: "updated", object: aPrompt({ metadata: { labels: { a: "b" } } }), old: aPrompt() }, false],
  ["a cancellation", { type: "updated", object: aPrompt({ spec: { cancel: true } }), old: aPrompt() }, true],
  [
    "a deletion that waits",
    { type: "updated", object: aPrompt({ metadata: { deletionTimestamp: time(0) } }), old: aPrompt() },
    true,
  ],
  ["one that went", { type: "deleted", object: aPrompt(), old: aPrompt() }, true],
])("of a Prompt, %s", (_name, change, want) => {
  expect(promptMatters(change, started)).toBe(want);
});

const pod: Pod = { metadata: { name: "fix-x-1", labels: { [labels.attempt]: "1" } } };
const [waiting, settled] = [
  aPrompt(),
  aPrompt({ status: { conditions: [aVerdict(true, "Completed", new Date(epochMs))] } }),
];

it.each([
  { name: "that goes on, with nothing to do", sandbox: {}, prompts: [settled], matters: true },
  { name: "that is over, with nothing to do", sandbox: { endTime: time(1) }, prompts: [settled], matters: false },
  { name: "that is over, without prompts", sandbox: { endTime: time(1) }, prompts: [], matters: false },
  // The pass that queues it may be under way: it found the pod, and nothing else tells it that the pod is gone.
  {
    name: "that is over while a prompt waits",
    sandbox: { endTime: time(1) },
    prompts: [settled, waiting],
    matters: true,
  },
  { name: "of an earlier attempt while a prompt waits", sandbox: { attempt: 2 }, prompts: [waiting], matters: true },
])("of the pod of an attempt $name, its deletion matters: $matters", ({ sandbox, prompts, matters }) => {
  expect(podMatters({ type: "deleted", object: pod, old: pod }, withSandbox(sandbox), prompts)).toBe(matters);
});
