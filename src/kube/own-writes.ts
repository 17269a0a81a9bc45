import type { KubeObject } from "../lib/resource.ts";
import { setNewest } from "../lib/set-newest.ts";

/** Far more than a controller writes until the events of its writes arrive. */
const remembered = 4_096;

/** Remembers which key's reconcile wrote which version of an object, so that the write does not enqueue the key again. */
export class OwnWrites {
  readonly #writers = new Map<string, string>();

  record(stored: KubeObject, key: string): void {
    setNewest(this.#writers, versionOf(stored), key, remembered);
  }

  /** Whether the reconcile of this key wrote exactly this version. */
  isBy(key: string, object: KubeObject): boolean {
    return this.#writers.get(versionOf(object)) === key;
  }
}

function versionOf({ metadata }: KubeObject): string {
  return `${metadata.uid ?? ""}/${metadata.resourceVersion ?? ""}`;
}
