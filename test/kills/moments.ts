import { setTimeout as delay } from "node:timers/promises";

import type { GatewayMessage, RuntimeMessage } from "../../src/api/runtime/messages.ts";
import { oneOf, type Random, wholeNumber } from "./random.ts";
import type { RelayObserver, Speaker } from "./relay.ts";

type Said = (RuntimeMessage | GatewayMessage)["type"];

/** Messages around which something may be half done. */
const telling: readonly Said[] = ["hello", "welcome", "ready", "prompt", "event", "usage", "promptFinished", "ack"];

/** A message that a kill waits for: how long at most, and how long after it the kill comes at most, in milliseconds. */
interface Wait {
  types: readonly Said[];
  longestMs: number;
  afterMs: number;
}

/** Longest time where no message is waited for, in milliseconds. */
const someTimeMs = 400;
const aMessage: Wait = { types: telling, longestMs: 1_000, afterMs: 20 };
/** A workspace begins to be saved or restored, which takes some 100 ms. */
const aTransfer: Wait = { types: ["openStream"], longestMs: 3_000, afterMs: 200 };

/** When to kill: after some time, or just when something was said. */
export class Moments implements RelayObserver {
  #waiting: { type: Said; heard: (speaker: Speaker) => void } | undefined;

  said = (speaker: Speaker, { type }: RuntimeMessage): void => this.#hear(speaker, type);
  told = (speaker: Speaker, { type }: GatewayMessage): void => this.#hear(speaker, type);

  /** Resolves at a random moment; with who spoke or was spoken to, where it was that which was waited for. */
  async next(random: Random): Promise<Speaker | undefined> {
    const wait = oneOf<Wait | "time">(random, ["time", "time", aMessage, aMessage, aTransfer]);
    if (wait === "time") {
      await delay(wholeNumber(random, 0, someTimeMs));
      return undefined;
    }
    const heard = Promise.withResolvers<Speaker | undefined>();
    this.#waiting = { type: oneOf(random, wait.types), heard: heard.resolve };
    const timer = setTimeout(() => heard.resolve(undefined), wait.longestMs);
    const speaker = await heard.promise;
    clearTimeout(timer);
    this.#waiting = undefined;
    await delay(wholeNumber(random, 0, wait.afterMs));
    return speaker;
  }

  #hear(speaker: Speaker, type: Said): void {
    if (this.#waiting?.type === type) this.#waiting.heard(speaker);
  }
}
