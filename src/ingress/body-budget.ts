import type { BodyRoom } from "../lib/whole-body.ts";

/** Bytes of bodies that nobody has proved to be theirs yet, and that one replica holds: 64 MiB. */
const mostBytes = 67_108_864;

/** Limits the memory of all bodies together whose senders have not proved whose they are. */
export class BodyBudget {
  readonly #most: number;
  #taken = 0;

  constructor(most = mostBytes) {
    this.#most = most;
  }

  /** Runs `work` with room for one body, which is taken back when it ends. */
  async lend<T>(work: (room: BodyRoom) => Promise<T>): Promise<T> {
    let lent = 0;
    const take = (bytes: number): boolean => {
      if (this.#taken + bytes > this.#most) return false;
      this.#taken += bytes;
      lent += bytes;
      return true;
    };
    try {
      return await work({ take });
    } finally {
      this.#taken -= lent;
    }
  }

  /** Bytes that are lent. */
  get taken(): number {
    return this.#taken;
  }
}
