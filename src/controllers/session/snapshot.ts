import type { SnapshotNote } from "../../api/runtime/bundle.ts";
import { type Reason, reasons } from "../../api/v1alpha1/reasons.ts";
import type { Sandbox, Session, SessionStatus } from "../../api/v1alpha1/session.ts";
import { type Deadline, deadlineAfter, earliest, hasPassed, snapshotDeadline } from "../../domain/clocks/index.ts";
import { settingsOf } from "../../domain/settings/index.ts";
import type { SessionFacts } from "./facts.ts";

/**
 * The end of a sandbox whose workspace is kept:
 *
 * ```
 *   ready ── lifetime less finalSnapshotBufferMs,
 *            or idle for long enough             ──▶ snapshotTime: no prompt begins, the processed one has failed
 *         ── the gateway's note on the Lease     ──▶ snapshot, end of the attempt
 *         ── lifetime or finalSnapshotBufferMs
 *            over, without a note                ──▶ end of the attempt, nothing saved
 * ```
 */
type Living = SessionStatus & { sandbox: Sandbox };

/** Whether the workspace is saved before an idle sandbox ends; who lets it end at once, as Runs do, keeps nothing. */
export function savesWhenIdle({ spec }: Session): boolean {
  return spec.idleTimeoutSeconds > 0;
}

/** When the saving begins; undefined where it has begun or there is none. */
export function savingStarts({ session }: Pick<SessionFacts, "session">, status: SessionStatus): Deadline | undefined {
  const { sandbox, idleSince } = status;
  const isOpen = sandbox?.snapshotTime === undefined && sandbox?.endTime === undefined;
  const idleMs = session.spec.idleTimeoutSeconds * 1_000;
  return earliest([
    snapshotDeadline(status, bufferOf(status)),
    isOpen && idleSince !== undefined && savesWhenIdle(session)
      ? deadlineAfter(idleSince, idleMs, reasons.savingWorkspace)
      : undefined,
  ]);
}

/** When a saving that has begun is given up; the end of the lifetime may come before. */
export function savingEnds(status: SessionStatus): Deadline | undefined {
  const { snapshotTime, endTime } = status.sandbox ?? {};
  if (snapshotTime === undefined || endTime !== undefined) return undefined;
  return deadlineAfter(snapshotTime, bufferOf(status), reasonToSave(status, snapshotTime));
}

/** The status with the begin of the saving, and with what was saved. */
export function foldSnapshot(facts: SessionFacts, status: Living, now: Date): Living {
  const starts = savingStarts(facts, status);
  const { sandbox } = status;
  if (starts && hasPassed(starts, now)) return { ...status, sandbox: { ...sandbox, snapshotTime: now.toISOString() } };
  const { bytes, archive } = (sandbox.snapshotTime === undefined ? undefined : noteOf(facts, sandbox)) ?? {};
  if (bytes === undefined || status.snapshot?.attempt === sandbox.attempt) return status;
  const { attempt, podName, volumeSnapshotClassName } = sandbox;
  const named = volumeSnapshotClassName === undefined ? { archive } : { volumeSnapshotName: podName };
  return { ...status, snapshot: { attempt, time: now.toISOString(), bytes, ...named } };
}

/** The end of a sandbox whose workspace was saved, or will not be. */
export function savingEnded(facts: SessionFacts, status: Living): { reason: Reason; message: string } | undefined {
  const note = noteOf(facts, status.sandbox);
  const { snapshotTime } = status.sandbox;
  if (snapshotTime === undefined || !note) return undefined;
  const how = note.bytes === undefined ? `could not be saved: ${note.problem ?? "no reason was given"}` : "was saved";
  const reason = reasonToSave(status, snapshotTime);
  return { reason, message: `${whySaved[reason]}; its workspace ${how}` };
}

const whySaved = {
  [reasons.sandboxLifetimeEnded]: "the sandbox reached the end of its lifetime",
  [reasons.stopped]: "nothing was left to do; the next prompt starts another sandbox",
} as const;

/** What the sandbox ends for; it is in the times that are stored. */
function reasonToSave(status: SessionStatus, snapshotTime: string): keyof typeof whySaved {
  const { sandbox, lifetimeMs } = status;
  const unsaved = sandbox && { ...sandbox, snapshotTime: undefined };
  const atLifetime = snapshotDeadline({ sandbox: unsaved, lifetimeMs }, bufferOf(status));
  const isIdle = !atLifetime || Date.parse(snapshotTime) < atLifetime.atMs;
  return isIdle ? reasons.stopped : reasons.sandboxLifetimeEnded;
}

function bufferOf(status: SessionStatus): number {
  return settingsOf({ status }).finalSnapshotBufferMs;
}

/** How the saving came out; undefined while it goes on. */
function noteOf({ lease, volumeSnapshot }: SessionFacts, sandbox: Sandbox): SnapshotNote | undefined {
  return sandbox.volumeSnapshotClassName === undefined ? lease?.snapshot : volumeSnapshot?.note;
}

/** What a prompt fails with that was processed when the saving began. */
export const interrupted = {
  reason: reasons.sandboxLifetimeEnded,
  message: "the sandbox reached the end of its lifetime while it was processed, less the time to save its workspace",
} as const;
