import { join } from "node:path";

import { withLock } from "../../../hack/lib/lock.ts";

/** So many test files may be at the cluster at once. */
export const places: readonly string[] = ["1", "2"];

/** The places that a test file takes: its worker's, or all when it has the cluster to itself; `alone` names those from the project's root. */
export function placesOf(path: string, alone: readonly string[], worker: string): readonly string[] {
  return alone.some((file) => path.endsWith(`/${file}`)) ? places : [worker];
}

/** Does `work` while it holds places in this order; each is a lock in `folder` and is waited for. */
export function holdingPlaces(
  folder: string,
  [place, ...others]: readonly string[],
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (place === undefined) return work();
  const lock = join(folder, `runwright-cluster-place-${place}.lock`);
  return withLock(
    lock,
    () => undefined,
    () => holdingPlaces(folder, others, work),
  );
}
