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
  /** Of streams, only those by which a workspace is restored. */
  isRestore?: true;
  longestMs: number;
  afterMs: number;
}

/** Longest time where no message is waited for, in milliseconds. */
const someTimeMs = 400;
const aMessage: Wait = { types: telling, longestMs: 1_000, afterMs: 20 };
/** A workspace begins to be saved or restored, which takes some 100 ms. */
const aTransfer: Wait = { types: ["openStream"], longestMs: 3_000, afterMs: 200 };
/** A session restores once for many prompts, so that restores are waited for longer and more often. */
const aRestore: Wait = { types: ["openStream"], isRestore: true, longestMs: 8_000, afterMs: 100 };
const waits = ["time", aMessage, aMessage, aTransfer, aRestore, aRestore, aRestore, aRestore] as const;

/** When to kill, and who spoke or was spoken to where that was waited for. */
export interface Moment {
  speaker?: Speaker | undefined;
  /** The speaker begins to restore a workspace. */
  isRestore: boolean;
}

/** When to kill: after some time, or just when something was said. */
export class Moments implements RelayObserver {
  #waiting: { type: Said; isRestore: boolean; heard: (speaker: Speaker) => void } | undefined;

  said = (speaker: Speaker, message: RuntimeMessage): void => this.#hear(speaker, message);
  told = (speaker: Speaker, message: GatewayMessage): void => this.#hear(speaker, message);

  /** Resolves at a random moment. */
  async next(random: Random): Promise<Moment> {
    const wait = oneOf<Wait | "time">(random, waits);
    if (wait === "time") {
      await delay(wholeNumber(random, 0, someTimeMs));
      return { isRestore: false };
    }
    const heard = Promise.withResolvers<Speaker | undefined>();
    const isRestore = wait.isRestore ?? false;
    this.#waiting = { type: oneOf(random, wait.types), isRestore, heard: heard.resolve };
    const timer = setTimeout(() => heard.resolve(undefined), wait.longestMs);
    const speaker = await heard.promise;
    clearTimeout(timer);
    this.#waiting = undefined;
    await delay(wholeNumber(random, 0, wait.afterMs));
    return { speaker, isRestore: isRestore && speaker !== undefined };
  }

  #hear(speaker: Speaker, message: RuntimeMessage | GatewayMessage): void {
    if (this.#waiting?.type !== message.type) return;
    if (!this.#waiting.isRestore || restores(message)) this.#waiting.heard(speaker);
  }
}

function restores(message: RuntimeMessage | GatewayMessage): boolean {
  return message.type === "openStream" && "workspace" in message.use && message.use.workspace === "restore";
}
