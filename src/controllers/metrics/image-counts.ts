import type { Condition } from "../../api/v1alpha1/conditions.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { findCondition } from "../../domain/conditions.ts";

/** An image is stale this many milliseconds after it was last as fresh as it should be: two hours, which are four checks. */
export const staleAfterMs = 7_200_000;

/** States of images, of which the first that fits counts. */
const states = ["suspended", "duplicate", "stalled", "ready", "building", "failed", "none"] as const;
type ImageState = (typeof states)[number];

/** The number of images in each state. */
export function imageCounts(images: readonly PrebuiltImage[]): ReadonlyMap<string, number> {
  const found = images.map(stateOf);
  return new Map(states.map((state) => [state, found.filter((one) => one === state).length]));
}

function stateOf(image: PrebuiltImage): ImageState {
  const { spec, status } = image;
  const ready = conditionOf(image, conditionTypes.ready);
  if (spec.suspend) return "suspended";
  if (ready?.reason === reasons.duplicateScope) return "duplicate";
  if (isTrue(conditionOf(image, conditionTypes.stalled))) return "stalled";
  if (isTrue(ready)) return "ready";
  const rest = status?.failures ? "failed" : "none";
  return status?.build ? "building" : rest;
}

/** The number of images that wait for a place to be built. */
export function countQueued(images: readonly PrebuiltImage[]): number {
  return images.filter((image) => conditionOf(image, conditionTypes.reconciling)?.reason === reasons.queued).length;
}

/** The number of images that should be fresh and have not been for {@link staleAfterMs}. */
export function countStale(images: readonly PrebuiltImage[], now: Date): number {
  const latest = now.getTime() - staleAfterMs;
  return images.filter((image) => staleSinceMs(image) <= latest).length;
}

/** Since when sessions begin without the image or with an outdated one; Infinity where all is well or a person wants it so. */
function staleSinceMs(image: PrebuiltImage): number {
  const state = stateOf(image);
  if (state === "suspended" || state === "duplicate") return Infinity;
  const ready = conditionOf(image, conditionTypes.ready);
  if (!ready) return Date.parse(image.metadata.creationTimestamp ?? "");
  const failing = conditionOf(image, conditionTypes.buildFailed);
  return Math.min(unseenSinceMs(image), ...[isTrue(ready) ? undefined : ready, failing].map(sinceMs));
}

/** When its check was due; while a build goes on, the build's own clocks bound it. */
function unseenSinceMs({ status }: PrebuiltImage): number {
  const { build, nextCheckTime } = status ?? {};
  return build || nextCheckTime === undefined ? Infinity : Date.parse(nextCheckTime);
}

function sinceMs(condition: Condition | undefined): number {
  return condition ? Date.parse(condition.lastTransitionTime) : Infinity;
}

function isTrue(condition: Condition | undefined): boolean {
  return condition?.status === "True";
}

function conditionOf({ status }: PrebuiltImage, type: string): Condition | undefined {
  return findCondition(status?.conditions, type);
}
