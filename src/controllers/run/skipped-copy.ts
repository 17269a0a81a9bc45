import { createHash } from "node:crypto";
import { z } from "zod";
import { annotations, reasons, type Run } from "../../api/v1alpha1/index.ts";
import { randomName, randomNameBytes } from "../../domain/object-names.ts";
import { causeOf, succeededOf } from "../../domain/runs/run-state.ts";

/** The verdict on a Run that was skipped, as the copy of the Run carries it. */
const SkippedRun = z.object({
  /** UID of the Run that was copied. */
  uid: z.string(),
  /** Reason of the condition `Stalled`. */
  cause: z.string(),
  message: z.string(),
  /** When it was skipped (RFC 3339). */
  time: z.iso.datetime(),
});
export type SkippedRun = z.infer<typeof SkippedRun>;

/**
 * A Run with payload and verdict of a skipped one, under a name that no idempotency key has. The name follows from the
 * Run's UID, so that a repeated create stores no second one. `run` must hold its payload.
 */
export function makeSkippedCopy(run: Run): Run {
  const { namespace, uid = "", labels } = run.metadata;
  const { automationRef, trigger } = run.spec;
  const skipped: SkippedRun = {
    uid,
    cause: causeOf(run) ?? reasons.skipped,
    message: succeededOf(run)?.message ?? "",
    time: run.status?.completionTime ?? run.metadata.creationTimestamp ?? new Date(0).toISOString(),
  };
  // Spans are those of the Run itself.
  const others = Object.entries(run.metadata.annotations ?? {}).filter(([name]) => name !== annotations.traceparent);
  const kept = Object.fromEntries(others);
  const digest = createHash("sha256").update(uid).digest();
  return {
    metadata: {
      namespace,
      name: randomName(automationRef.name, digest.subarray(0, randomNameBytes)),
      labels,
      annotations: { ...kept, [annotations.skipped]: JSON.stringify(skipped) },
    },
    spec: { automationRef, trigger: { ...trigger, idempotencyKey: undefined } },
  };
}

/** The verdict that a copy carries; undefined for a Run that is no copy. A Run with an unreadable one never starts either. */
export function skippedBefore({ metadata }: Run): SkippedRun | undefined {
  const text = metadata.annotations?.[annotations.skipped];
  if (text === undefined) return undefined;
  const { data } = SkippedRun.safeParse(parsed(text));
  if (data) return data;
  const message = `The annotation ${annotations.skipped} cannot be read`;
  return { uid: "", cause: reasons.skipped, message, time: metadata.creationTimestamp ?? new Date(0).toISOString() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
