import { z } from "zod";
import { annotations } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Run } from "../../api/v1alpha1/run.ts";

/** The verdict on a Run that was skipped, as the copy of the Run carries it. */
const SkippedRun = z.object({
  /** UID of the Run that was copied. */
  uid: z.string(),
  /** Reason of the condition `Stalled`. */
  cause: z.string(),
  message: z.string(),
  /** The idempotency key that the sender gave it, unless that is in the payload. */
  idempotencyKey: z.string().optional(),
  /** When it was skipped (RFC 3339). */
  time: z.iso.datetime(),
});
export type SkippedRun = z.infer<typeof SkippedRun>;

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
