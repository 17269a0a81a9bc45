import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import { keyOf, keyText, type ObjectKey, parseKey } from "../../lib/resource.ts";
import { scopeOf, scopeText } from "../sandbox/images/scope.ts";
import { sandboxPodName } from "../sandbox/pod/names.ts";
import type { SandboxSlots } from "../sandbox/start/slots.ts";
import { type Build, type BuildLine, nextBuilds, type WaitingBuild, whatItAwaits } from "./build-line.ts";
import { queuedSince } from "./decide/queued.ts";

/** How long an image waits behind sessions for a place of its class, in milliseconds: 30 minutes. */
export const overdueMs = 1_800_000;

interface Deps {
  /** Images that a build goes on for, by what the API server shows. */
  building: () => readonly PrebuiltImage[];
  /** Places of classes, shared with sessions. */
  classPlaces: Pick<SandboxSlots, "hasSpare" | "take" | "settled" | "leave">;
  /** Has an image ask again. */
  enqueue: (key: ObjectKey) => void;
}

/** A place that was taken. */
interface Taken extends Build {
  podKey: string;
}

/**
 * Places for builds: one of a scope, whatever the class, and a few in all, for which namespaces take turns. Of a class's places
 * images have those that no session waits for; one that has waited for long has the next one, unless another image is being built
 * in the class. An image that finds its class full keeps no other one waiting.
 */
export class BuildPlaces {
  readonly #deps: Deps;
  /** By image; not shown by the API server yet. */
  readonly #taken = new Map<string, Taken>();
  /** They ask again by themselves, and leave when they need no place any more. */
  readonly #waiting = new Map<string, WaitingBuild>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a place, or says which there is none of, which makes the image wait. */
  take(image: PrebuiltImage, sandboxClass: SandboxClass, now: Date): string | undefined {
    const build = buildOf(image);
    if (this.#taken.has(build.key)) return undefined;
    const waiting = { ...build, since: queuedSince(image.status) ?? now.toISOString() };
    const isOverdue = now.getTime() - Date.parse(waiting.since) >= overdueMs && !this.#isAnyBuiltIn(build.className);
    if (!isOverdue && !this.#hasSpare(build, sandboxClass)) return this.#withoutClass(build);
    this.#waiting.set(build.key, waiting);
    const line = this.#line();
    if (!nextBuilds(line).some(({ key }) => key === build.key)) {
      this.#deps.classPlaces.leave(waiterKey(build.key));
      return whatItAwaits(build, line);
    }
    const podKey = podKeyOf(image);
    if (!this.#takeInClass(waiting, sandboxClass, podKey)) return this.#withoutClass(build);
    this.#waiting.delete(build.key);
    this.#taken.set(build.key, { ...build, podKey });
    return undefined;
  }

  /** The API server shows the build, or it was not begun. */
  settled(key: ObjectKey): void {
    const taken = this.#taken.get(keyText(key));
    if (taken) this.#deps.classPlaces.settled(taken.podKey);
    this.#taken.delete(keyText(key));
  }

  /** The image needs no place any more, or cannot use one. */
  leave(key: ObjectKey): void {
    this.#waiting.delete(keyText(key));
    this.#deps.classPlaces.leave(waiterKey(keyText(key)));
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

  #isAnyBuiltIn(className: string): boolean {
    return this.#line().going.some((build) => build.className === className);
  }

  #hasSpare({ key, namespace, className }: Build, { spec }: SandboxClass): boolean {
    const { classPlaces } = this.#deps;
    // It may have waited there while no other image was built in the class.
    classPlaces.leave(waiterKey(key));
    const { maxSandboxes, maxSandboxesPerNamespace } = spec;
    return classPlaces.hasSpare({ className, namespace, maxSandboxes, maxSandboxesPerNamespace });
  }

  /** One that may have what nobody waits for is taken for the next as well: there is nobody else. */
  #takeInClass({ key, className, since }: WaitingBuild, { spec }: SandboxClass, podKey: string): boolean {
    const { classPlaces, enqueue } = this.#deps;
    const { maxSandboxes, maxSandboxesPerNamespace } = spec;
    const limits = { className, maxSandboxes, maxSandboxesPerNamespace };
    const wake = (): void => enqueue(parseKey(key));
    const wanted = { ...limits, podKey, waiterKey: waiterKey(key), isChild: false, since, isNext: true, wake };
    return classPlaces.take(wanted) === "taken";
  }

  /** Nobody else is to wait for an image that its class has no place for. */
  #withoutClass({ key, className }: Build): string {
    this.#waiting.delete(key);
    return `SandboxClass ${className} has no place that sessions do not need; after 30 minutes the image has the next one`;
  }
}

function buildOf(image: PrebuiltImage): Build {
  const { namespace = "" } = image.metadata;
  const { sandboxClassName: className } = image.spec;
  return { key: keyText(keyOf(image)), namespace, scope: scopeText(scopeOf(image)), className };
}

function podKeyOf({ metadata, status }: PrebuiltImage): string {
  const attempt = (status?.sandbox?.attempt ?? 0) + 1;
  return keyText({ namespace: metadata.namespace, name: sandboxPodName(metadata, attempt) });
}

/** Such as `shop/prebuiltimage/web`: a Session may have the image's name. */
function waiterKey(key: string): string {
  return key.replace("/", "/prebuiltimage/");
}
