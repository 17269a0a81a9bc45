import { imageVersions, type ImageVersions } from "../../../api/runtime/build.ts";
import type { BuildReason, BuiltImage, BuildFailures } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageCommit } from "../../../api/v1alpha1/session.ts";
import { type BuildInputs, inputsDigest, failuresAhead } from "./backoff.ts";

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
 * not repeated with the same inputs and commits before its time.
 */
export function decideRebuild(facts: RebuildFacts, now: Date): RebuildDecision {
  if (!facts.isEnabled || facts.isBuilding) return { kind: "nothing" };
  if (facts.isRequested) return { kind: "build", reason: "RebuildRequested" };
  const { failures, image, secretsMAC, inputs } = facts;
  const ahead = failuresAhead(failures, { inputs: inputsDigest(inputs), secretsMAC }, now);
  if (ahead) return checkFor(ahead.commits);
  const reason = reasonToBuild(facts);
  const shown = failures ? "Retry" : (reason ?? "NewCommits");
  return reason ? { kind: "build", reason: shown } : { kind: "check", reason: shown, unless: image?.commits ?? [] };
}

/** Other commits than those that failed are built at once; where these are unknown, nothing is. */
function checkFor(failed: readonly ImageCommit[] | undefined): RebuildDecision {
  return failed ? { kind: "check", reason: "NewCommits", unless: failed } : { kind: "nothing" };
}

/** Why the image does not serve whatever the branches have. */
export function reasonToBuild({
  image,
  inputs,
  secretsMAC,
  repositories,
  versions = imageVersions,
}: Omit<RebuildFacts, "isEnabled" | "isBuilding" | "isRequested" | "failures">): BuildReason | undefined {
  if (!image || !isOf(image, inputs)) return "MissingImage";
  if (image.runtimeVersion < versions.rebuild) return "OutdatedRuntime";
  const known = image.commits.map(({ repository }) => repository);
  if (!repositories.every((name) => known.includes(name))) return "MissingImage";
  return secretsMAC !== undefined && image.secretsMAC !== secretsMAC ? "SecretsChanged" : undefined;
}

function isOf({ fingerprint, classImage }: BuiltImage, inputs: BuildInputs): boolean {
  return fingerprint === inputs.fingerprint && classImage === inputs.classImage;
}
