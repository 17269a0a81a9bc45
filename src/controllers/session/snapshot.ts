import { type Reason, reasons } from "../../api/v1alpha1/reasons.ts";
import type { Sandbox, SessionStatus } from "../../api/v1alpha1/session.ts";
import { type Deadline, hasPassed, snapshotDeadline } from "../../domain/clocks/index.ts";
import { settingsOf } from "../../domain/settings/index.ts";
import type { SessionFacts } from "./facts.ts";

/**
 * The end of a sandbox whose workspace is kept:
 *
 * ```
 *   ready ── lifetime less finalSnapshotBufferMs ──▶ snapshotTime: no prompt begins, the processed one has failed
 *         ── the gateway's note on the Lease     ──▶ snapshot, end of the attempt
 *         ── lifetime, without a note            ──▶ end of the attempt, nothing saved
 * ```
 */
type Living = SessionStatus & { sandbox: Sandbox };

/** When the saving begins; undefined where it has begun or there is none. */
export function savingStarts(status: SessionStatus): Deadline | undefined {
  return snapshotDeadline(status, settingsOf({ status }).finalSnapshotBufferMs);
}

/** The status with the begin of the saving, and with what was saved. */
export function foldSnapshot({ lease }: SessionFacts, status: Living, now: Date): Living {
  const starts = savingStarts(status);
  const { sandbox } = status;
  if (starts && hasPassed(starts, now)) return { ...status, sandbox: { ...sandbox, snapshotTime: now.toISOString() } };
  const bytes = sandbox.snapshotTime === undefined ? undefined : lease?.snapshot?.bytes;
  if (bytes === undefined || status.snapshot?.attempt === sandbox.attempt) return status;
  return { ...status, snapshot: { attempt: sandbox.attempt, time: now.toISOString(), bytes } };
}

/** The end of a sandbox whose workspace was saved, or will not be. */
export function savingEnded(
  { lease }: SessionFacts,
  { sandbox }: Living,
): { reason: Reason; message: string } | undefined {
  const note = lease?.snapshot;
  if (sandbox.snapshotTime === undefined || !note) return undefined;
  const how = note.bytes === undefined ? `could not be saved: ${note.problem ?? "no reason was given"}` : "was saved";
  return {
    reason: reasons.sandboxLifetimeEnded,
    message: `the sandbox reached the end of its lifetime; its workspace ${how}`,
  };
}

/** What a prompt fails with that was processed when the saving began. */
export const interrupted = {
  reason: reasons.sandboxLifetimeEnded,
  message: "the sandbox reached the end of its lifetime while it was processed, less the time to save its workspace",
} as const;
