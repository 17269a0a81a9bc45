import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { ImageFacts, ObservedScope } from "../facts.ts";
import { inputsDigest, failuresAhead } from "./backoff.ts";
import { reasonToBuild } from "./rebuild.ts";
import { isRequested } from "./request.ts";

/** Whether the image is built and served at all. */
export function isEnabled({ image, duplicateOf, scope }: ImageFacts): boolean {
  const isGoing = image.metadata.deletionTimestamp !== undefined;
  return !isGoing && !image.spec.suspend && duplicateOf === undefined && "found" in scope;
}

/**
 * Whether it is time to look whether to build: at the image's slots, at a request, when a failed build may be tried again,
 * and at once where the image does not serve.
 */
export function isLookDue(facts: ImageFacts, now: Date): boolean {
  const { image, scope } = facts;
  const { status = {} } = image;
  if (!isEnabled(facts) || !("found" in scope) || status.build) return false;
  const at = lookAtMs(facts);
  return at !== undefined && now.getTime() >= at;
}

/** When that is, in milliseconds since 1970; -Infinity: at once. */
export function lookAtMs(facts: ImageFacts): number | undefined {
  const { image, scope } = facts;
  if (!isEnabled(facts) || !("found" in scope) || image.status?.build) return undefined;
  return isRequested(image) || isStale(facts) ? -Infinity : dueAtMs(image, scope.found);
}

function isStale({ image, staleBuild }: ImageFacts): boolean {
  return staleBuild !== undefined && staleBuild === image.status?.image?.build;
}

function dueAtMs({ status }: PrebuiltImage, found: ObservedScope): number {
  const { failures, nextCheckTime, image: built } = status ?? {};
  const slotMs = nextCheckTime === undefined ? -Infinity : Date.parse(nextCheckTime);
  // Time decides about the retry: at the epoch it has not come.
  const held = { inputs: inputsDigest(found), secretsMAC: undefined };
  const ahead = failuresAhead(failures, held, new Date(0));
  if (ahead) return Math.min(slotMs, Date.parse(ahead.retryTime));
  const asked = { image: built, inputs: found, secretsMAC: undefined, repositories: found.repositories };
  return reasonToBuild(asked) === undefined ? slotMs : -Infinity;
}
