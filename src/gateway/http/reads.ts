import { ApiError } from "./errors.ts";

/** Long lists that are read live at once: each may have thousands of objects. */
const mostReads = 4;

/** Bounds the lists that are read live for callers. */
export class Reads {
  #underWay = 0;

  /** @throws ApiError `Busy` */
  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#underWay >= mostReads) throw new ApiError("Busy", "too many lists are read at once; try again");
    this.#underWay += 1;
    try {
      return await read();
    } finally {
      this.#underWay -= 1;
    }
  }
}
