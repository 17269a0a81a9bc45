import { describe, expect, it, vi } from "vitest";
import { KubeError } from "../../kube/errors.ts";
import type { Pod } from "../../kube/core-resources.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { SkillSetUse } from "./skills/set-use.ts";
import { type AttemptEffect, type AttemptEffectDeps, type AttemptOutcome, performAttemptEffect } from "./effects.ts";

const metadata = { name: "fix", namespace: "demo", uid: "session-uid" };

const owner = { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "fix", uid: "session-uid" };
const pod: Pod = { metadata: { name: "fix-1", namespace: "demo", ownerReferences: [owner] } };
const stored: Pod = { metadata: { ...pod.metadata, uid: "pod-uid" } };
const foreign: Pod = { metadata: { ...stored.metadata, ownerReferences: [{ ...owner, uid: "another" }] } };

/** Performs an effect at an API server that answers with this, where `there` has the name. */
function performedAgainst(
  answer: { status: number; message: string; cause?: string },
  effect: object,
  there?: object,
): Promise<AttemptOutcome | undefined> {
  const { status, message, cause } = answer;
  const details = cause === undefined ? undefined : { causes: [{ reason: cause }] };
  const error = new KubeError({ message, status, reason: "Refused", delivery: "received", details });
  const client = { create: () => Promise.reject(error), find: () => Promise.resolve(there) };
  const clock = { now: () => new Date("2026-05-04T10:15:00Z") };
  const skillSets = new SkillSetUse(new FakeClock());
  return performAttemptEffect(
    { client, clock, skillSets } as unknown as AttemptEffectDeps,
    { metadata },
    effect as AttemptEffect,
  );
}
const createPod = { kind: "createPod", pod, start: { settings: {}, tunnels: [] } };

const forbidden = 'pods "fix-1" is forbidden:';

it.each([
  { answer: { status: 403, message: `${forbidden} exceeded quota: pods, requested: pods=1` }, want: "full" },
  { answer: { status: 403, message: `${forbidden} violates PodSecurity "restricted:latest"` }, want: "rejected" },
  { answer: { status: 403, message: `${forbidden} failed quota: pods: must specify limits.cpu` }, want: "rejected" },
  { answer: { status: 403, message: `${forbidden} quota` }, want: "rejected" },
  { answer: { status: 403, message: `${forbidden} it ends`, cause: "NamespaceTerminating" }, want: "gone" },
  { answer: { status: 422, message: "exceeded quota" }, want: "rejected" },
  { answer: { status: 404, message: "the namespace is not there" }, want: "gone" },
])("a pod that is answered $answer.status $answer.message is $want", async ({ answer, want }) => {
  expect(await performedAgainst(answer, createPod)).toMatchObject({ kind: "obstructed", obstacle: { kind: want } });
});

it.each([429, 500, 503])("a pod that is answered %i, with whatever words, is tried again", async (status) => {
  const message = `${forbidden} exceeded quota: pods`;
  await expect(performedAgainst({ status, message }, createPod)).rejects.toThrow(message);
});

const createBundle = { kind: "createBundle", secret: { metadata: { name: "s-1" }, data: { bundle: "AAAA" } } };
const tooLong = 'Secret "s-1" is invalid: data: Too long: may not be more than 1048576 bytes';

it.each([
  {
    answer: { status: 422, message: tooLong },
    reason: "BundleTooLarge",
    says: "does not fit a Secret, which has at most 1,048,576",
  },
  {
    answer: { status: 413, message: "limit is 3145728" },
    reason: "BundleTooLarge",
    says: "does not fit a Secret, which has at most 1,048,576",
  },
  {
    answer: { status: 422, message: "ValidatingAdmissionPolicy 'x' denied" },
    reason: "PodRejected",
    says: "'x' denied",
  },
  { answer: { status: 400, message: 'admission webhook "w" denied' }, reason: "PodRejected", says: '"w" denied' },
  { answer: { status: 403, message: "secrets is forbidden" }, reason: "PodRejected", says: "is forbidden" },
])("a bundle that is answered $answer.status $answer.message is $reason", async ({ answer, reason, says }) => {
  expect(await performedAgainst(answer, createBundle)).toMatchObject({
    obstacle: { kind: "refused", refusal: { reason, message: expect.stringContaining(says) as string } },
  });
});

it.each([
  { status: 403, message: "exceeded quota: s, requested: secrets=1, used: secrets=9, limited: secrets=9" },
  { status: 403, message: "status unknown for quota: s, resources: secrets" },
  { status: 500, message: "no etcd" },
])("a bundle that is answered $status $message is tried again", async (answer) => {
  await expect(performedAgainst(answer, createBundle)).rejects.toThrow(answer.message);
});

const refusals = [
  { name: "a quota that it fills", answer: { status: 403, message: `${forbidden} exceeded quota: pods` } },
  { name: "a policy that came since", answer: { status: 422, message: "a policy of the cluster" } },
];

it.each(refusals)("a pod of a predecessor is adopted where $name refuses it", async ({ answer }) => {
  expect(await performedAgainst(answer, createPod, stored)).toMatchObject({
    kind: "created",
    start: { podName: "fix-1", podUID: "pod-uid" },
  });
});

it("a pod of another owner is not", async () => {
  expect(await performedAgainst(refusals[0]!.answer, createPod, foreign)).toMatchObject({
    kind: "obstructed",
    obstacle: { kind: "rejected", message: expect.stringContaining("is not the session's") as string },
  });
});

it.each(refusals)("a VolumeSnapshot that is there is as good where $name refuses it", async ({ answer }) => {
  const effect = { kind: "createVolumeSnapshot", snapshot: { metadata: { name: "fix-1", namespace: "demo" } } };
  expect(await performedAgainst(answer, effect, { metadata: {} })).toBeUndefined();
  expect(await performedAgainst(answer, effect)).toMatchObject({ kind: "notSaved", problem: answer.message });
});

describe("a set of skills that finds no room", () => {
  const MiB = 1_048_576;
  const budgets = { namespace: 4 * MiB, total: 4 * MiB };
  const effect = { kind: "storeSkills", set: { digest: "d", bytes: 4 * MiB + 1, namespace: "shop" }, secrets: [{}] };

  it("is not stored, and the start is refused with the budget and what to do", async () => {
    const skillSets = new SkillSetUse(new FakeClock(), { budgets, stored: () => new Map() });
    const create = vi.fn();
    const deps = { client: { create }, skillSets } as unknown as AttemptEffectDeps;
    const outcome = await performAttemptEffect(deps, { metadata: { uid: "u1" } }, effect as unknown as AttemptEffect);
    expect(create).not.toHaveBeenCalled();
    expect(outcome).toMatchObject({ kind: "obstructed", obstacle: { kind: "refused" } });
    const { refusal } = (outcome as { obstacle: { refusal: { reason: string; message: string } } }).obstacle;
    expect(refusal.reason).toBe("SkillsOverBudget");
    expect(refusal.message).toContain("0 bytes of 4 MiB for sets of skills (controller.skillSetBudgets.namespace)");
    expect(refusal.message).toContain("ask the platform team for more");
  });
});
