import { skillPieceBytes } from "../../../api/runtime/skill-set.ts";
import { labels, skillPieceName, skillsDataKey } from "../../../api/v1alpha1/names.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { type Release, releaseLabel } from "../labels.ts";

/** A set's content in the pieces that fit a Secret each. */
export function piecesOf(content: Buffer): Buffer[] {
  const count = Math.ceil(content.length / skillPieceBytes);
  return Array.from({ length: count }, (_, index) =>
    content.subarray(index * skillPieceBytes, (index + 1) * skillPieceBytes),
  );
}

/**
 * The Secrets of a set in the sessions namespace. Their names are the content's digest, so they never change; labels say how large they
 * are and which namespace's session stored them.
 */
export function makeSkillSecrets(
  { digest, content }: { digest: string; content: Buffer },
  { sessionsNamespace, release, namespace }: { sessionsNamespace: string; release: Release; namespace: string },
): Secret[] {
  return piecesOf(content).map((piece, index) => ({
    metadata: {
      name: skillPieceName(digest, index),
      namespace: sessionsNamespace,
      labels: {
        [labels.release]: releaseLabel(release),
        [labels.sessionNamespace]: namespace,
        [labels.skillsBytes]: String(piece.length),
      },
    },
    type: "runwright.dev/skills",
    immutable: true,
    data: { [skillsDataKey]: piece.toString("base64") },
  }));
}
