import { imageVersions, type ImageVersions } from "../../../api/runtime/build.ts";
import type { BuildReason, BuiltImage, BuildFailures } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageCommit } from "../../../api/v1alpha1/session.ts";
import { type BuildInputs, hasInputs, inputsDigest, failuresAhead } from "./backoff.ts";

/** What a decision to build rests on. */
export interface RebuildFacts {
  /** It is neither suspended nor a duplicate. */
  isEnabled: boolean;
  isBuilding: boolean;
  /** A person has requested a build. */
  isRequested: boolean;
  image: BuiltImage | undefined;
  failures: BuildFailures | undefined;
  /** As a build would be now. */
  inputs: BuildInputs;
  /** Undefined while the secrets were not read. */
  secretsMAC: string | undefined;
  /** Names of the Repositories, in order. */
  repositories: readonly string[];
  versions?: ImageVersions | undefined;
}

/** `check`: a pod looks at the branches, and builds unless they still have these commits. */
export type RebuildDecision =
  | { kind: "nothing" }
  | { kind: "build"; reason: BuildReason }
  | { kind: "check"; reason: BuildReason; unless: readonly ImageCommit[] };

/**
 * Whether an image is built, of which the first reason counts: none with what is cloned now, an outdated runtime, unknown
 * commits, other secrets, a person's request. Only the pod can tell whether branches have moved. A build that failed is
 * not repeated with the same inputs and commits before its time; whether there are other commits is looked at all the same.
 */
export function decideRebuild(facts: RebuildFacts, now: Date): RebuildDecision {
  if (!facts.isEnabled || facts.isBuilding) return { kind: "nothing" };
  if (facts.isRequested) return { kind: "build", reason: "RebuildRequested" };
  const { failures, image, secretsMAC, inputs } = facts;
  const ahead = failuresAhead(failures, { inputs: inputsDigest(inputs), secretsMAC }, now);
  const unless = commitsToCompare(ahead, image);
  if (ahead) return { kind: "check", reason: "NewCommits", unless };
  const reason = reasonToBuild(facts);
  const shown = failures ? "Retry" : (reason ?? "NewCommits");
  return reason ? { kind: "build", reason: shown } : { kind: "check", reason: shown, unless };
}

/**
 * The commits at which a check finds nothing to do: those that failed and are not to be tried again yet. Where these are unknown
 * nothing says that they fail; then it is those of the image, and without one the branches only have to be readable.
 */
export function commitsToCompare(
  ahead: Pick<BuildFailures, "commits"> | undefined,
  image: Pick<BuiltImage, "commits"> | undefined,
): readonly ImageCommit[] {
  return ahead?.commits ?? image?.commits ?? [];
}

/** Why the image does not serve whatever the branches have. */
export function reasonToBuild({
  image,
  inputs,
  secretsMAC,
  repositories,
  versions = imageVersions,
}: Omit<RebuildFacts, "isEnabled" | "isBuilding" | "isRequested" | "failures">): BuildReason | undefined {
  if (!image || !hasInputs(image, inputs)) return "MissingImage";
  if (image.runtimeVersion < versions.rebuild) return "OutdatedRuntime";
  const known = image.commits.map(({ repository }) => repository);
  if (!repositories.every((name) => known.includes(name))) return "MissingImage";
  return secretsMAC !== undefined && image.secretsMAC !== secretsMAC ? "SecretsChanged" : undefined;
}
