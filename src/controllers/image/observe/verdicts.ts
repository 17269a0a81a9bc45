import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import { indexNames, type KindInformers, uidKeyOf } from "../../kind-informers.ts";
import type { ImageFacts } from "../facts.ts";

/** What sessions have found of the current image, as their status says. */
export function observeVerdicts(
  { sessions }: Pick<KindInformers, "sessions">,
  image: PrebuiltImage,
): Pick<ImageFacts, "damagedBuild" | "staleBuild"> {
  const { build, digest } = image.status?.image ?? {};
  if (build === undefined) return {};
  const said = sessions
    .byIndex(indexNames.imageUid, uidKeyOf(image))
    .flatMap(({ status }) => status?.prebuiltImage ?? []);
  // One that is out of reach may be well.
  const isDamaged = said.some(
    ({ problem, digest: of }) => problem !== undefined && problem !== "Unreachable" && of === digest,
  );
  const isStale = said.some(({ reason, build: of }) => reason === "SecretsChanged" && of === build);
  return { ...(isDamaged && { damagedBuild: build }), ...(isStale && { staleBuild: build }) };
}

/** Whether a session has come to another view of an image. */
export function saidOf({ status }: Session): string | undefined {
  const { reason, problem, build } = status?.prebuiltImage ?? {};
  return problem === undefined && reason !== "SecretsChanged" ? undefined : `${reason} ${problem} ${build}`;
}
