import { createHash } from "node:crypto";
import { annotations, reasons, type Run, type RunTrigger } from "../../api/v1alpha1/index.ts";
import { randomName, randomNameBytes } from "../../domain/object-names.ts";
import { payloadKey } from "../../domain/deliveries/payload.ts";
import { causeOf, succeededOf } from "../../domain/runs/run-state.ts";
import type { SkippedRun } from "../../domain/runs/skipped-run.ts";

/**
 * A Run with payload and verdict of a skipped one, under a name that no idempotency key has. The name follows from the
 * Run's UID, so that a repeated create stores no second one. `run` must hold its payload. Annotations that people have made too large
 * for the verdict beside them are left out, and so is a key that has no room by itself; none that a delivery can have is.
 */
export function makeSkippedCopy(run: Run): Run {
  const { namespace, uid = "", labels } = run.metadata;
  const { automationRef, trigger } = run.spec;
  const verdict: SkippedRun = {
    uid,
    cause: causeOf(run) ?? reasons.skipped,
    message: succeededOf(run)?.message ?? "",
    time: run.status?.completionTime ?? run.metadata.creationTimestamp ?? new Date(0).toISOString(),
  };
  // Spans are those of the Run itself.
  const others = Object.entries(run.metadata.annotations ?? {}).filter(([name]) => name !== annotations.traceparent);
  const kept = Object.fromEntries(others);
  const note = { [annotations.skipped]: JSON.stringify(verdict) };
  const noteWithKey = { [annotations.skipped]: JSON.stringify({ ...verdict, ...keyOutsidePayload(trigger) }) };
  const wanted = [{ ...kept, ...noteWithKey }, noteWithKey, { ...kept, ...note }];
  const digest = createHash("sha256").update(uid).digest();
  return {
    metadata: {
      namespace,
      name: randomName(automationRef.name, digest.subarray(0, randomNameBytes)),
      labels,
      annotations: wanted.find(isStorable) ?? note,
    },
    spec: { automationRef, trigger: { ...trigger, idempotencyKey: undefined } },
  };
}

/** Bytes that the API server takes of all annotations of an object, names and values. */
const mostAnnotationBytes = 262_144;

function isStorable(of: Record<string, string>): boolean {
  const bytes = Object.entries(of).map(([name, value]) => Buffer.byteLength(name) + Buffer.byteLength(value));
  return bytes.reduce((sum, each) => sum + each, 0) <= mostAnnotationBytes;
}

/** The copy has no key, which is free again; what a replay cannot find in the payload is kept beside the verdict. */
function keyOutsidePayload({ idempotencyKey, payload }: RunTrigger): Pick<SkippedRun, "idempotencyKey"> {
  return idempotencyKey === undefined || payloadKey(payload) === idempotencyKey ? {} : { idempotencyKey };
}
