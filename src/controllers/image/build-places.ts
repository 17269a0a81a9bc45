import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import { keyOf, keyText, type ObjectKey, parseKey } from "../../lib/resource.ts";
import { scopeOf, scopeText } from "../sandbox/images/scope.ts";
import { placesForChildren } from "../sandbox/start/slots.ts";
import { type Build, type BuildLine, nextBuilds, type WaitingBuild, whatItAwaits } from "./build-line.ts";
import { queuedSince } from "./decide/queued.ts";

interface Deps {
  /** Images that a build goes on for, by what the API server shows. */
  building: () => readonly PrebuiltImage[];
  /** `namespace/name` of a class's pods. */
  podsOf: (className: string) => ReadonlySet<string>;
  /** Whether sessions wait for a place of the class. */
  isAwaited: (className: string) => boolean;
}

/**
 * Places for builds: one of a scope, whatever the class, and a few in all, for which namespaces take turns; of each class's
 * places only those that no session waits for. An image that finds its class full keeps no other one waiting.
 */
export class BuildPlaces {
  readonly #deps: Deps;
  /** Taken, and not shown by the API server yet. */
  readonly #taken = new Map<string, Build>();
  /** They ask again by themselves, and leave when they need no place any more. */
  readonly #waiting = new Map<string, WaitingBuild>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a place, or says which there is none of, which makes the image wait. */
  take(image: PrebuiltImage, sandboxClass: SandboxClass, now: Date): string | undefined {
    const build = buildOf(image);
    const { key } = build;
    if (this.#taken.has(key)) return undefined;
    if (!this.#hasRoom(sandboxClass, build.namespace)) {
      this.#waiting.delete(key);
      return `SandboxClass ${sandboxClass.metadata.name ?? ""} has no place that sessions do not need`;
    }
    this.#waiting.set(key, { ...build, since: queuedSince(image.status) ?? now.toISOString() });
    const line = this.#line();
    if (!nextBuilds(line).some((one) => one.key === key)) return whatItAwaits(build, line);
    this.#waiting.delete(key);
    this.#taken.set(key, build);
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
    return nextBuilds(this.#line()).map(({ key }) => parseKey(key));
  }

  #line(): BuildLine {
    const shown = this.#deps.building().map((image): [string, Build] => [keyText(keyOf(image)), buildOf(image)]);
    const going = new Map([...shown, ...this.#taken]);
    return { going: [...going.values()], waiting: [...this.#waiting.values()] };
  }

  #hasRoom({ metadata: { name = "" }, spec }: SandboxClass, namespace: string): boolean {
    const pods = [...this.#deps.podsOf(name)];
    const { maxSandboxes, maxSandboxesPerNamespace: perNamespace = Infinity } = spec;
    const inNamespace = pods.filter((pod) => pod.startsWith(`${namespace}/`)).length;
    const isFull = pods.length >= maxSandboxes - placesForChildren(maxSandboxes) || inNamespace >= perNamespace;
    return !isFull && !this.#deps.isAwaited(name);
  }
}

function buildOf(image: PrebuiltImage): Build {
  const { namespace = "" } = image.metadata;
  return { key: keyText(keyOf(image)), namespace, scope: scopeText(scopeOf(image)) };
}
