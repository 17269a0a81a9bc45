import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { ApiError } from "./errors.ts";

/** Long lists that are read live at once: each may have thousands of objects. */
const mostReads = 4;

/** Limits how many long lists are read from the API server at once. */
export class Reads {
  readonly #limit = new ConcurrencyLimit(mostReads);

  /** @throws ApiError `Busy` */
  run<T>(read: () => Promise<T>): Promise<T> {
    return this.#limit.run(read, () => new ApiError("Busy", "too many lists are read at once; try again"));
  }
}
