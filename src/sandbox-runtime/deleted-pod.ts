import type { Clock, Timer } from "../lib/clock.ts";

/**
 * How long a runtime whose pod is being deleted waits for the saving of its workspace to begin, in milliseconds. Another
 * controller leads after half of it at the latest; where none does, as while a namespace is deleted after an uninstall,
 * the pod is gone well before a usual grace period ends.
 */
export const orderMs = 30_000;

interface Deps {
  clock: Clock;
  /** Whether there is anything that a saving would keep. */
  hasUnsaved: () => boolean;
  end: () => void;
}

/**
 * When a runtime ends whose pod is being deleted. With nothing to save it ends at once, else when the gateway ends the
 * attempt, which it does once the workspace is saved. Where no saving goes on for {@link orderMs}, it ends unsaved.
 */
export class DeletedPod {
  readonly #deps: Deps;
  #isDeleted = false;
  #isSaving = false;
  #timer: Timer | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The kubelet asks the container to end. */
  begin(): void {
    this.#isDeleted = true;
    this.#judge();
  }

  /** The gateway says whether the workspace is being saved. */
  saving(goesOn: boolean): void {
    this.#isSaving = goesOn;
    this.#judge();
  }

  #judge(): void {
    const { clock, hasUnsaved, end } = this.#deps;
    this.#timer?.cancel();
    if (!this.#isDeleted) return;
    if (!hasUnsaved()) end();
    else if (!this.#isSaving) this.#timer = clock.setTimeout(end, orderMs);
  }
}
