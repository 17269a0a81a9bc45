import type { SavedArchive } from "../../api/v1alpha1/names.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import type { AttemptOwner } from "../attempts/owner.ts";

/** The archive that an attempt begins with, as its owner's status names it. */
export interface NamedArchive {
  /** Whose folder it is in. */
  ownerUid: string;
  saved: SavedArchive;
  measure: { bytes?: number | undefined; digest?: string | undefined };
  /** Says in notes which archive it is: the number of the attempt or, with `image`, of the build. */
  note: { of: number; image?: true };
}

/** A saved workspace goes before the prebuilt image that an earlier sandbox began with; undefined for a volume or nothing. */
export function archiveToRestore({ metadata, status }: AttemptOwner): NamedArchive | undefined {
  const { snapshot, prebuiltImage } = status ?? {};
  const isRestored = snapshot !== undefined && snapshot.problem === undefined;
  return isRestored ? workspaceOf(metadata.uid ?? "", snapshot) : imageOf(prebuiltImage);
}

function workspaceOf(
  ownerUid: string,
  { attempt, archive, bytes, digest }: NonNullable<SessionStatus["snapshot"]>,
): NamedArchive | undefined {
  if (archive === undefined) return undefined;
  return { ownerUid, saved: { attempt, archive }, measure: { bytes, digest }, note: { of: attempt } };
}

function imageOf(image: SessionStatus["prebuiltImage"]): NamedArchive | undefined {
  if (image?.reason !== "Used" || image.problem !== undefined) return undefined;
  const { uid: ownerUid, build, archive, bytes, digest } = image;
  if (build === undefined || archive === undefined) return undefined;
  const saved = { attempt: build, archive };
  return { ownerUid, saved, measure: { bytes, digest }, note: { of: build, image: true } };
}

/** All archives that an owner's status names: they are kept when older ones are deleted. */
export function namedArchives({ status }: AttemptOwner): SavedArchive[] {
  const { snapshot, image, previous } = status ?? {};
  const saved = snapshot?.archive === undefined ? [] : [{ attempt: snapshot.attempt, archive: snapshot.archive }];
  const images = [image, previous].flatMap((one) => (one ? [{ attempt: one.build, archive: one.archive }] : []));
  return [...saved, ...images];
}
