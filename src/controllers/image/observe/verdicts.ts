import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { Session, SessionImage, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { indexNames, type KindInformers, uidKeyOf } from "../../kind-informers.ts";
import type { ImageFacts } from "../facts.ts";

/** What sessions have found of the current image, as their status says. */
export function observeVerdicts(
  { sessions }: Pick<KindInformers, "sessions">,
  image: PrebuiltImage,
): Pick<ImageFacts, "damagedBuild" | "staleBuild"> {
  const { build, digest } = image.status?.image ?? {};
  if (build === undefined) return {};
  const own = sessions.byIndex(indexNames.imageUid, uidKeyOf(image));
  const said = verdictsOf(own);
  // One that is out of reach may be well.
  const isDamaged = said.some(
    ({ problem, digest: of }) => problem !== undefined && problem !== "Unreachable" && of === digest,
  );
  const isStale = verdictsOf(own.filter((session) => isSaidSinceLook(session, image))).some(
    ({ reason, build: of }) => reason === "SecretsChanged" && of === build,
  );
  return { ...(isDamaged && { damagedBuild: build }), ...(isStale && { staleBuild: build }) };
}

function verdictsOf(sessions: readonly Session[]): SessionImage[] {
  return sessions.flatMap(({ status }) => status?.prebuiltImage ?? []);
}

/**
 * Whether the session's verdict is younger than the last pod that built or checked the image. A look reads the secrets itself, so it
 * answers what was said before: a session keeps its verdict for as long as it exists, and the secrets may be the old ones again.
 */
function isSaidSinceLook({ status }: Session, image: PrebuiltImage): boolean {
  const looked = image.status?.sandbox?.createTime;
  if (looked === undefined) return true;
  return !isRestored(status) && Date.parse(status?.sandbox?.createTime ?? "") > Date.parse(looked);
}

/** Whether the sandbox began with a saved workspace, so that what is said of an image was found out for an earlier one. */
function isRestored({ sandbox, snapshot }: SessionStatus = {}): boolean {
  return snapshot !== undefined && snapshot.problem === undefined && snapshot.attempt < (sandbox?.attempt ?? 0);
}

/** Whether a session has come to another view of an image. */
export function saidOf({ status }: Session): string | undefined {
  const { reason, problem, build } = status?.prebuiltImage ?? {};
  return problem === undefined && reason !== "SecretsChanged" ? undefined : `${reason} ${problem} ${build}`;
}
