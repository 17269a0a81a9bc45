import type { SnapshotNote } from "../../../api/runtime/bundle.ts";
import { type Deadline, hasPassed } from "../../../domain/clocks/deadline.ts";
import type { AttemptEffect } from "../effects.ts";
import type { AttemptEnd, AttemptFacts } from "../facts.ts";
import type { AttemptOwner, AttemptRecord, SavedWorkspace } from "../owner.ts";
import { makeVolumeSnapshot } from "../pod/volume-snapshots.ts";

/**
 * The record with the beginning of the saving once its time has come, and what was saved once that is known.
 *
 * ```
 *   ready ── the owner's time to save has come   ──▶ snapshotTime
 *         ── the gateway's note on the Lease     ──▶ saved workspace, end of the attempt
 *         ── lifetime or finalSnapshotBufferMs
 *            over, without a note                ──▶ end of the attempt, nothing saved
 * ```
 */
export function foldSaving<R extends AttemptRecord>(
  facts: AttemptFacts,
  record: R,
  { starts, saved }: { starts: Deadline | undefined; saved: SavedWorkspace | undefined },
  now: Date,
): { record: R; saved?: SavedWorkspace } {
  const time = now.toISOString();
  if (starts && hasPassed(starts, now)) return { record: { ...record, snapshotTime: time } };
  const { bytes, archive } = noteOf(facts, record) ?? {};
  if (bytes === undefined || saved?.attempt === record.attempt) return { record };
  const { attempt, podName, volumeSnapshotClassName } = record;
  const named = volumeSnapshotClassName === undefined ? { archive } : { volumeSnapshotName: podName };
  return { record, saved: { attempt, time, bytes, ...named } };
}

/** The end of an attempt whose workspace was saved, or could not be; `savedFor` is why it was to be saved. */
export function savingEnded(
  facts: AttemptFacts,
  record: AttemptRecord,
  savedFor: AttemptEnd | undefined,
): AttemptEnd | undefined {
  const note = noteOf(facts, record);
  if (!note || !savedFor) return undefined;
  const how = note.bytes === undefined ? `could not be saved: ${note.problem ?? "no reason was given"}` : "was saved";
  return { ...savedFor, message: `${savedFor.message}; its workspace ${how}` };
}

/** How saving the workspace ended; undefined before it began and while it goes on. */
function noteOf({ lease, volumeSnapshot }: AttemptFacts, record: AttemptRecord): SnapshotNote | undefined {
  if (record.snapshotTime === undefined) return undefined;
  return record.volumeSnapshotClassName === undefined ? lease?.snapshot : volumeSnapshot?.note;
}

/** Saves the volume of an attempt whose class asks for that; "look" where its VolumeSnapshots were not read yet. */
export function volumeToSave(
  facts: AttemptFacts,
  owner: Pick<AttemptOwner, "resource" | "metadata">,
  record: AttemptRecord | undefined,
): Extract<AttemptEffect, { kind: "createVolumeSnapshot" | "deleteVolumeSnapshot" }>[] | "look" {
  const { snapshotTime, endTime, volumeSnapshotClassName, podName = "" } = record ?? {};
  const isSaving = snapshotTime !== undefined && endTime === undefined && volumeSnapshotClassName !== undefined;
  if (!isSaving || facts.volumeSnapshot) return [];
  if (!facts.olderSnapshots) return "look";
  const snapshot = makeVolumeSnapshot(owner, podName, volumeSnapshotClassName);
  return [
    ...facts.olderSnapshots.map((older) => ({ kind: "deleteVolumeSnapshot" as const, snapshot: older })),
    { kind: "createVolumeSnapshot", snapshot },
  ];
}
