import type { SnapshotNote } from "../../../api/runtime/bundle.ts";
import { type Deadline, hasPassed } from "../../../domain/clocks/deadline.ts";
import type { AttemptEffect } from "../effects.ts";
import type { AttemptEnd, AttemptFacts } from "../facts.ts";
import type { AttemptOwner, AttemptRecord, SavedWorkspace } from "../owner.ts";
import { makeVolumeSnapshot, volumeSnapshotName } from "../pod/volume-snapshots.ts";

/**
 * The record with the beginning of the saving once its time has come, and what was saved once that is known.
 *
 * ```
 *   ready ── the owner's time to save has come   ──▶ snapshotTime, the next snapshotTry
 *         ── the note of a saved workspace       ──▶ saved workspace, end of the attempt
 *         ── the note of a problem that stays,
 *            lifetime or finalSnapshotBufferMs
 *            over                                ──▶ the owner decides: another try later, or end of the attempt
 * ```
 */
export function foldSaving<R extends AttemptRecord>(
  facts: AttemptFacts,
  record: R,
  { starts, saved }: { starts: Deadline | undefined; saved: SavedWorkspace | undefined },
  now: Date,
): { record: R; saved?: SavedWorkspace } {
  const time = now.toISOString();
  if (starts && hasPassed(starts, now)) return { record: begun(record, time) };
  const { bytes, archive, digest } = snapshotNote(facts, record) ?? {};
  if (bytes === undefined || saved?.attempt === record.attempt) return { record };
  const { attempt, volumeSnapshotClassName } = record;
  const named =
    volumeSnapshotClassName === undefined ? { archive, digest } : { volumeSnapshotName: volumeSnapshotName(record) };
  return { record, saved: { attempt, time, bytes, ...named } };
}

function begun<R extends AttemptRecord>(record: R, snapshotTime: string): R {
  return { ...record, snapshotTime, snapshotTry: (record.snapshotTry ?? 0) + 1 };
}

/** The end of an attempt whose workspace was saved, or could not be; `savedFor` is why it was to be saved. */
export function savingEnded(
  facts: AttemptFacts,
  record: AttemptRecord,
  savedFor: AttemptEnd | undefined,
): AttemptEnd | undefined {
  const note = snapshotNote(facts, record);
  if (!note || note.goesOn || !savedFor) return undefined;
  const how = note.bytes === undefined ? `could not be saved: ${note.problem ?? "no reason was given"}` : "was saved";
  return { ...savedFor, message: `${savedFor.message}; its workspace ${how}` };
}

/** What is known of the try to save the workspace that goes on; undefined before it began. */
export function snapshotNote(
  { lease, volumeSnapshot }: AttemptFacts,
  { snapshotTime, snapshotTry = 1, volumeSnapshotClassName }: AttemptRecord,
): SnapshotNote | undefined {
  if (snapshotTime === undefined) return undefined;
  if (volumeSnapshotClassName !== undefined) return volumeSnapshot?.note;
  // A note of an earlier try says nothing of what was done since.
  return (lease?.snapshot?.try ?? 1) === snapshotTry ? lease?.snapshot : undefined;
}

/** Saves the volume of an attempt whose class asks for that; "look" where its VolumeSnapshots were not read yet. */
export function volumeToSave(
  facts: AttemptFacts,
  owner: Pick<AttemptOwner, "resource" | "metadata">,
  record: AttemptRecord | undefined,
): Extract<AttemptEffect, { kind: "createVolumeSnapshot" | "deleteVolumeSnapshot" }>[] | "look" {
  const { snapshotTime, endTime, volumeSnapshotClassName } = record ?? {};
  const isSaving = snapshotTime !== undefined && endTime === undefined && volumeSnapshotClassName !== undefined;
  if (!record || !isSaving || facts.volumeSnapshot) return [];
  if (!facts.olderSnapshots) return "look";
  const snapshot = makeVolumeSnapshot(owner, record, volumeSnapshotClassName);
  return [
    ...facts.olderSnapshots.map((older) => ({ kind: "deleteVolumeSnapshot" as const, snapshot: older })),
    { kind: "createVolumeSnapshot", snapshot },
  ];
}
