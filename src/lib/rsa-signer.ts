import { Worker } from "node:worker_threads";

import type { Clock } from "./clock.ts";
import { Turns } from "./turns.ts";

/** Milliseconds for a signature, which takes 0.04 s with the largest key that is taken. */
const mostMs = 2_000;

/** A signature was not made. */
export class SigningError extends Error {
  override readonly name = "SigningError";
}

interface Wanted {
  text: string;
  /** A private RSA key in PEM form. */
  key: string;
  made: PromiseWithResolvers<string>;
}

/** CommonJS: a worker of text alone needs no file of its own beside the program. */
const program = `
const { sign } = require("node:crypto");
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ text, key }) => {
  parentPort.postMessage(sign("sha256", Buffer.from(text), key).toString("base64url"));
});
`;

/**
 * Signs with RSA and SHA-256 in a thread of its own, one text at a time, in turns by sharer such as a namespace: neither the event loop
 * nor the threads that files and names wait for have anything to do with a tenant's key.
 */
export class RsaSigner {
  readonly #clock: Pick<Clock, "setTimeout">;
  readonly #waiting = new Turns<Wanted>();
  #worker: Worker | undefined;
  #current: Wanted | undefined;

  constructor(clock: Pick<Clock, "setTimeout">) {
    this.#clock = clock;
  }

  /** In base64url. @throws SigningError */
  sign(text: string, { key, sharer }: { key: string; sharer: string }): Promise<string> {
    const made = Promise.withResolvers<string>();
    this.#waiting.add(sharer, { text, key, made });
    void this.#next();
    return made.promise;
  }

  async #next(): Promise<void> {
    if (this.#current) return;
    const wanted = this.#waiting.take();
    this.#current = wanted;
    if (!wanted) return;
    try {
      wanted.made.resolve(await this.#signatureOf(wanted));
    } catch (error) {
      wanted.made.reject(error);
    }
    this.#current = undefined;
    void this.#next();
  }

  #signatureOf({ text, key }: Wanted): Promise<string> {
    const worker = (this.#worker ??= startWorker());
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const failed = (message: string): void => {
      this.#worker = undefined;
      // A signature under way ends by itself; the thread goes with it.
      void worker.terminate();
      reject(new SigningError(message));
    };
    const late = this.#clock.setTimeout(() => failed(`the signature took more than ${mostMs / 1_000} seconds`), mostMs);
    const cannot = (): void => failed("the key cannot sign");
    worker.once("message", resolve).once("error", cannot);
    worker.postMessage({ text, key });
    return promise.finally(() => {
      late.cancel();
      worker.off("message", resolve).off("error", cannot);
    });
  }
}

function startWorker(): Worker {
  const worker = new Worker(program, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // One that was given up may still fail.
  worker.on("error", () => undefined);
  worker.unref();
  return worker;
}
