import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import { keyOf, keyText, type ObjectKey, parseKey } from "../../lib/resource.ts";
import { withShares } from "../sandbox/start/shares.ts";
import { placesForChildren } from "../sandbox/start/slots.ts";
import { queuedSince } from "./decide/queued.ts";

/** Builds at once, in all namespaces together. */
export const mostBuilds = 4;

interface Deps {
  /** Images that a build goes on for, by what the API server shows. */
  building: () => readonly PrebuiltImage[];
  /** `namespace/name` of a class's pods. */
  podsOf: (className: string) => ReadonlySet<string>;
  /** Whether sessions wait for a place of the class. */
  isAwaited: (className: string) => boolean;
}

/** An image that is being built, or that waits for a place. */
interface Build {
  namespace: string;
}

interface Waiter extends Build {
  key: string;
  /** RFC 3339. */
  since: string;
}

/**
 * Places for builds: four at once, for which namespaces take turns, and of each class's places only those that no session
 * waits for. An image that finds its class full keeps no other one waiting.
 */
export class BuildPlaces {
  readonly #deps: Deps;
  /** Taken, and not shown by the API server yet. */
  readonly #taken = new Map<string, Build>();
  /** They ask again by themselves, and leave when they need no place any more. */
  readonly #waiting = new Map<string, Waiter>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a place, or says which there is none of, which makes the image wait. */
  take(image: PrebuiltImage, sandboxClass: SandboxClass, now: Date): string | undefined {
    const key = keyText(keyOf(image));
    const namespace = image.metadata.namespace ?? "";
    if (this.#taken.has(key)) return undefined;
    if (!this.#hasRoom(sandboxClass, namespace)) {
      this.#waiting.delete(key);
      return `SandboxClass ${sandboxClass.metadata.name ?? ""} has no place that sessions do not need`;
    }
    this.#waiting.set(key, { key, namespace, since: queuedSince(image.status) ?? now.toISOString() });
    if (!this.#next().includes(key)) {
      if (this.#going().length >= mostBuilds) {
        return `${mostBuilds} images are being built, which is as many as may be at once`;
      }
      return "other images are built first: namespaces take turns, and of one the image that waits longest is the next";
    }
    this.#waiting.delete(key);
    this.#taken.set(key, { namespace });
    return undefined;
  }

  /** The API server shows the build, or it was not begun. */
  settled(key: ObjectKey): void {
    this.#taken.delete(keyText(key));
  }

  /** The image needs no place any more, or cannot use one. */
  leave(key: ObjectKey): void {
    this.#waiting.delete(keyText(key));
  }

  /** Images that wait and that there is a place for. */
  next(): ObjectKey[] {
    return this.#next().map(parseKey);
  }

  #going(): Build[] {
    const shown = this.#deps.building().map((image): [string, Build] => {
      return [keyText(keyOf(image)), { namespace: image.metadata.namespace ?? "" }];
    });
    return [...new Map([...shown, ...this.#taken]).values()];
  }

  /** Of those that wait the next ones are those of the namespace with the fewest builds, of which the one that waits longest. */
  #next(): string[] {
    const going = this.#going();
    const waiting = [...this.#waiting.values()].sort((left, right) => left.since.localeCompare(right.since));
    const ranked = withShares(
      waiting,
      going.map(({ namespace }) => namespace),
    );
    const line = ranked.sort((left, right) => left.share - right.share).map(({ one }) => one.key);
    return line.slice(0, Math.max(0, mostBuilds - going.length));
  }

  #hasRoom({ metadata: { name = "" }, spec }: SandboxClass, namespace: string): boolean {
    const pods = [...this.#deps.podsOf(name)];
    const { maxSandboxes, maxSandboxesPerNamespace: perNamespace = Infinity } = spec;
    const inNamespace = pods.filter((pod) => pod.startsWith(`${namespace}/`)).length;
    const isFull = pods.length >= maxSandboxes - placesForChildren(maxSandboxes) || inNamespace >= perNamespace;
    return !isFull && !this.#deps.isAwaited(name);
  }
}
