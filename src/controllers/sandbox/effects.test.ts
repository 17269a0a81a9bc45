import { expect, it } from "vitest";
import { KubeError } from "../../kube/errors.ts";
import type { Pod } from "../../kube/core-resources.ts";
import { type AttemptEffect, type AttemptEffectDeps, type AttemptOutcome, performAttemptEffect } from "./effects.ts";

const metadata = { name: "fix", namespace: "demo", uid: "session-uid" };

/** Creates a pod at an API server that answers with this. */
function createdAgainst(answer: {
  status: number;
  message: string;
  cause?: string;
}): Promise<AttemptOutcome | undefined> {
  const { status, message, cause } = answer;
  const details = cause === undefined ? undefined : { causes: [{ reason: cause }] };
  const error = new KubeError({ message, status, reason: "Refused", delivery: "received", details });
  const client = { create: () => Promise.reject(error) };
  const pod: Pod = { metadata: { name: "fix-1", namespace: "demo" } };
  const effect = { kind: "createPod", pod, start: { settings: {} } } as unknown as AttemptEffect;
  return performAttemptEffect({ client } as unknown as AttemptEffectDeps, { metadata }, effect);
}

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
  expect(await createdAgainst(answer)).toMatchObject({ kind: "obstructed", obstacle: { kind: want } });
});

it.each([429, 500, 503])("a pod that is answered %i, with whatever words, is tried again", async (status) => {
  const message = `${forbidden} exceeded quota: pods`;
  await expect(createdAgainst({ status, message })).rejects.toThrow(message);
});
