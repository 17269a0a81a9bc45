import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import { keyText, type ObjectKey } from "../../lib/resource.ts";
import { placesForChildren } from "../sandbox/start/slots.ts";

/** Builds at once, in all namespaces together. */
export const mostBuilds = 4;

interface Deps {
  /** Keys of images that a build goes on for, by what the API server shows. */
  building: () => readonly ObjectKey[];
  /** `namespace/name` of a class's pods. */
  podsOf: (className: string) => ReadonlySet<string>;
  /** Whether sessions wait for a place of the class. */
  isAwaited: (className: string) => boolean;
}

/** Places for builds: four at once, and of each class's places only those that no session waits for. */
export class BuildPlaces {
  readonly #deps: Deps;
  /** Taken, and not shown by the API server yet. */
  readonly #taken = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a place, or says which there is none of. */
  take(key: ObjectKey, { metadata: { name = "" }, spec }: SandboxClass): string | undefined {
    const text = keyText(key);
    const going = new Set([...this.#deps.building().map(keyText), ...this.#taken]);
    going.delete(text);
    if (going.size >= mostBuilds) return `${mostBuilds} images are being built, which is as many as may be at once`;
    const pods = [...this.#deps.podsOf(name)];
    const { maxSandboxes, maxSandboxesPerNamespace: perNamespace = Infinity } = spec;
    const inNamespace = pods.filter((pod) => pod.startsWith(`${key.namespace ?? ""}/`)).length;
    const isFull = pods.length >= maxSandboxes - placesForChildren(maxSandboxes) || inNamespace >= perNamespace;
    if (isFull || this.#deps.isAwaited(name)) return `SandboxClass ${name} has no place that sessions do not need`;
    this.#taken.add(text);
    return undefined;
  }

  /** The API server shows the build, or it was not begun. */
  settled(key: ObjectKey): void {
    this.#taken.delete(keyText(key));
  }
}
