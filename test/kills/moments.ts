import { setTimeout as delay } from "node:timers/promises";

import type { GatewayMessage, RuntimeMessage } from "../../src/api/runtime/messages.ts";
import { oneOf, type Random, wholeNumber } from "./random.ts";
import type { RelayObserver, Speaker } from "./relay.ts";

type Said = (RuntimeMessage | GatewayMessage)["type"];

/** Messages around which something may be half done. */
const telling: readonly Said[] = ["hello", "welcome", "ready", "prompt", "event", "promptFinished", "ack"];
/** How long such a message is waited for, in milliseconds. */
const longestMs = 1_000;

/** When to kill: after some time, or just when something was said. */
export class Moments implements RelayObserver {
  #waiting: { type: Said; heard: (speaker: Speaker) => void } | undefined;

  said = (speaker: Speaker, { type }: RuntimeMessage): void => this.#hear(speaker, type);
  told = (speaker: Speaker, { type }: GatewayMessage): void => this.#hear(speaker, type);

  /** Resolves at a random moment; with who spoke or was spoken to, where it was that which was waited for. */
  async next(random: Random): Promise<Speaker | undefined> {
    if (oneOf(random, ["time", "message"]) === "time") {
      await delay(wholeNumber(random, 0, 400));
      return undefined;
    }
    const heard = Promise.withResolvers<Speaker | undefined>();
    this.#waiting = { type: oneOf(random, telling), heard: heard.resolve };
    const timer = setTimeout(() => heard.resolve(undefined), longestMs);
    const speaker = await heard.promise;
    clearTimeout(timer);
    this.#waiting = undefined;
    await delay(wholeNumber(random, 0, 20));
    return speaker;
  }

  #hear(speaker: Speaker, type: Said): void {
    if (this.#waiting?.type === type) this.#waiting.heard(speaker);
  }
}
