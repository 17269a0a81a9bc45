import { parentPort } from "node:worker_threads";

import { type Asked, played } from "./played.ts";

// A history meets hundreds of refusals, and what went wrong in it is told by its story, not by stacks.
Error.stackTraceLimit = 0;

/** Thread of `play-histories.ts`: plays the histories that it is asked for, one after another. */
parentPort?.on("message", (asked: Asked) => {
  void played(asked).then((answer) => parentPort?.postMessage(answer));
});
