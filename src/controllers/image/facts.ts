import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { AttemptFacts, CreatedAttempt, ReadyStart, StartObstacle } from "../sandbox/facts.ts";
import type { Refusal } from "../sandbox/refusal.ts";
import type { BuildInputs } from "./decide/backoff.ts";
import type { RebuildDecision } from "./decide/rebuild.ts";

/** What a build would be made from now, as the caches show it. */
export interface ObservedScope extends BuildInputs {
  /** Names of the Repositories, in order. */
  repositories: readonly string[];
  /** Settings that the class bounds, a sentence each. */
  bounded: readonly string[];
}

/** What a build would be made from now, read live. */
export interface LiveInputs extends ReadyStart, BuildInputs {
  secretsMAC: string;
}

/** A pod that was created, and what for; the status does not name it yet. */
export interface UnrecordedBuild extends CreatedAttempt {
  decision: Exclude<RebuildDecision, { kind: "nothing" }>;
  inputs: BuildInputs;
  timeoutSeconds: number;
}

/** All that a decision about one image rests on, read once. */
export interface ImageFacts extends Omit<AttemptFacts, "start" | "ready" | "obstacle"> {
  image: PrebuiltImage;
  /** When the container of the current build was first seen running, by the controller's clock, RFC 3339. */
  containerStartTime?: string | undefined;
  /** What it is of, or what of that is missing. */
  scope: { found: ObservedScope } | { missing: Refusal };
  /** An older image of the same scope and class. */
  duplicateOf?: string | undefined;
  /** A session found this image, by the number of its build, missing or damaged. */
  damagedBuild?: number | undefined;
  /** A session found that the secrets of this image's build are no longer those of its scope. */
  staleBuild?: number | undefined;
  start?: UnrecordedBuild | undefined;
  /** Read where a build is due, gets its bundle, or ends. */
  live?: LiveInputs | undefined;
  obstacle?: StartObstacle | undefined;
}
