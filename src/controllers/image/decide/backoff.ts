import { createHash } from "node:crypto";
import type { ImageCommit } from "../../../api/v1alpha1/session.ts";
import type { BuildFailures } from "../../../api/v1alpha1/prebuilt-image.ts";
import { type Fingerprint, isFingerprintOf } from "../../sandbox/images/fingerprint.ts";
import { cutMiddle } from "../../../lib/characters.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";

/** Wait after the first failure; it doubles with each further one up to the longest. Milliseconds. */
const backoffMs = { first: 1_800_000, longest: 86_400_000 };

/** What a build is made from and in, beside commits and secrets. */
export interface BuildInputs extends Fingerprint {
  classImage: string;
}

/** SHA-256 of what a build is made from and in. */
export function inputsDigest({ fingerprint, classImage }: BuildInputs): string {
  return `sha256:${createHash("sha256")
    .update(JSON.stringify([fingerprint, classImage]))
    .digest("hex")}`;
}

/** Whether a build, or an image, was made from and in what one would be now. */
export function hasInputs(stored: Pick<BuildInputs, "fingerprint" | "classImage">, now: BuildInputs): boolean {
  return isFingerprintOf(stored.fingerprint, now) && stored.classImage === now.classImage;
}

/** A failed build. */
export interface BuildFailure {
  reason: string;
  message: string;
  inputs: string;
  secretsMAC: string | undefined;
  /** The commits that it was to build, as far as they are known. */
  commits: readonly ImageCommit[] | undefined;
}

/** The account of failures with one more: it goes on where the inputs, secrets and commits are the same. */
export function withFailure(stored: BuildFailures | undefined, failure: BuildFailure, now: Date): BuildFailures {
  const { reason, message, inputs, secretsMAC, commits } = failure;
  const isSame =
    stored?.inputs === inputs &&
    stored.secretsMAC === secretsMAC &&
    (commits === undefined || stored.commits === undefined || jsonEqual(stored.commits, commits));
  const count = isSame ? stored.count + 1 : 1;
  const waitMs = Math.min(backoffMs.first * 2 ** (count - 1), backoffMs.longest);
  return {
    count,
    reason,
    message: cutMiddle(message, 1_024),
    inputs,
    ...(secretsMAC === undefined ? {} : { secretsMAC }),
    ...(commits === undefined || commits.length === 0 ? {} : { commits: [...commits] }),
    retryTime: new Date(now.getTime() + waitMs).toISOString(),
  };
}

/** The failures for which a build with these inputs has to wait for its retry; undefined where it has not. */
export function failuresAhead(
  failures: BuildFailures | undefined,
  { inputs, secretsMAC }: Pick<BuildFailure, "inputs" | "secretsMAC">,
  now: Date,
): BuildFailures | undefined {
  if (failures?.inputs !== inputs || now.getTime() >= Date.parse(failures.retryTime)) return undefined;
  const known = failures.secretsMAC;
  return secretsMAC === undefined || known === undefined || secretsMAC === known ? failures : undefined;
}
