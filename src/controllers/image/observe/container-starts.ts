import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import { keyOf, keyText, type ObjectKey } from "../../../lib/resource.ts";

/**
 * When this process first saw the containers of builds running, by its own clock: that of a node may be wrong. A status says it
 * from the next write on; until then it is lost with the process, and the next one sees it anew.
 */
export class ContainerStarts {
  readonly #seen = new Map<string, { podUID: string | undefined; time: string }>();

  /** When the container of the current or last build was first seen running, RFC 3339; undefined before that. */
  seen(image: PrebuiltImage, isRunning: boolean, now: Date): string | undefined {
    const { containerStartTime, podUID } = image.status?.sandbox ?? {};
    if (containerStartTime !== undefined) return containerStartTime;
    const key = keyText(keyOf(image));
    const known = this.#seen.get(key);
    if (known && known.podUID === podUID) return known.time;
    if (!isRunning) return undefined;
    const time = now.toISOString();
    this.#seen.set(key, { podUID, time });
    return time;
  }

  /** The image is gone. */
  forget(key: ObjectKey): void {
    this.#seen.delete(keyText(key));
  }
}
