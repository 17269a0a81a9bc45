import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import type { Asked, Played } from "./played.ts";

/** A history makes many objects that live shortly: with this much room for them the collector takes half the time. */
const youngMb = 64;

/** Threads that play histories, one for each processor. What is asked for while all of them play waits for its turn. */
export class Threads {
  readonly #idle: Thread[] = Array.from({ length: availableParallelism() }, () => new Thread());
  readonly #all: readonly Thread[] = [...this.#idle];
  readonly #waiting: ((thread: Thread) => void)[] = [];

  get count(): number {
    return this.#all.length;
  }

  async play(asked: Asked): Promise<Played> {
    const thread = this.#idle.pop() ?? (await new Promise<Thread>((take) => this.#waiting.push(take)));
    const played = await thread.play(asked);
    const next = this.#waiting.shift();
    if (next) next(thread);
    else this.#idle.push(thread);
    return played;
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.end()));
  }
}

/** A worker thread, which is another one after each history that ended the first. */
class Thread {
  #worker: Worker | undefined;

  async play(asked: Asked): Promise<Played> {
    const worker = (this.#worker ??= startWorker());
    const { promise, resolve } = Promise.withResolvers<Played>();
    const ended = (error: unknown): void => {
      this.#worker = undefined;
      resolve({ seed: asked.seed, events: 0, failure: `seed ${asked.seed}: nobody handled ${String(error)}` });
    };
    worker.once("message", resolve);
    worker.once("error", ended);
    worker.postMessage(asked);
    const result = await promise;
    worker.off("message", resolve);
    worker.off("error", ended);
    return result;
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
  }
}

function startWorker(): Worker {
  return new Worker(new URL("worker.ts", import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: youngMb } });
}
