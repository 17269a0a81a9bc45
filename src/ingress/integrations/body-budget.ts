/** Bytes of bodies that are not verified yet and that one replica holds: 64 MiB. */
const mostBytes = 67_108_864;

/** Limits the memory of all bodies that are not verified yet together. */
export class BodyBudget {
  readonly #most: number;
  #taken = 0;

  constructor(most = mostBytes) {
    this.#most = most;
  }

  /** Takes room for so many bytes; false where there is none. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#most) return false;
    this.#taken += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
  }

  get taken(): number {
    return this.#taken;
  }
}
