import type { GatewayMessage, NumberedMessage, RuntimeMessage } from "../../src/api/runtime/messages.ts";
import type { Prompt } from "../../src/api/v1alpha1/prompt.ts";
import type { Session } from "../../src/api/v1alpha1/session.ts";
import { isSettled, succeededOf } from "../../src/domain/prompts/prompt-state.ts";
import { Costs } from "./costs.ts";
import type { Speaker } from "./relay.ts";
import { Saves } from "./saves.ts";

/** One prompt that was accepted; its number is in its text. */
export interface Accepted {
  number: number;
  sessionUid: string;
}

/** One numbered message that the gateway has acknowledged. */
export interface Acknowledged extends Speaker {
  message: NumberedMessage;
}

/** What was seen from outside of gateway and runtimes, as it happened. */
export class Ledger {
  readonly accepted: Accepted[] = [];
  readonly acknowledged: Acknowledged[] = [];
  /** Kills of runtimes by session UID. */
  readonly killedRuntimes = new Map<string, number>();
  readonly killedOperators = { gateways: 0, controllers: 0 };
  readonly costs = new Costs();
  readonly saves = new Saves();
  /** The attempt in which a prompt was processed, by its number. */
  readonly attempts = new Map<number, number>();
  /** What was seen that must never be, as it was seen. */
  readonly broken: string[] = [];
  readonly #unacknowledged = new Map<string, Map<number, NumberedMessage>>();
  readonly #verdicts = new Map<string, string>();
  #numbers = 0;

  /** For the next prompt. */
  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  said(speaker: Speaker, message: RuntimeMessage): void {
    if ("seq" in message) this.#waiting(speaker).set(message.seq, message);
    this.costs.said(speaker, message);
    if (message.type === "ready") this.saves.restored(speaker);
  }

  told(speaker: Speaker, message: GatewayMessage): void {
    if (message.type === "ack") this.#acknowledge(speaker, message.seq);
    if (message.type === "welcome") this.#acknowledge(speaker, message.acknowledged);
    // The last sandbox that was sent a prompt is the one that processes it.
    if (message.type === "prompt") this.attempts.set(numberIn(message.text), speaker.attempt);
    if (message.type === "openStream" && "workspace" in message.use) this.saves.began(speaker, message.use.workspace);
  }

  /** Takes in a state of a Prompt: a verdict is said once and stays. */
  follow({ metadata, ...prompt }: Prompt): void {
    if (!isSettled({ metadata, ...prompt })) return;
    const { status, reason } = succeededOf({ metadata, ...prompt }) ?? {};
    const verdict = `${status ?? ""} ${reason ?? ""}`;
    const before = this.#verdicts.get(metadata.uid ?? "");
    if (before !== undefined && before !== verdict)
      this.broken.push(`Prompt ${metadata.name ?? ""} was ${before} and became ${verdict}`);
    this.#verdicts.set(metadata.uid ?? "", verdict);
  }

  /** Takes in a state of a Session: a workspace that was saved is the next sandbox's. */
  followSession(session: Session): void {
    this.broken.push(...this.saves.follow(session));
  }

  runtimeKilled(victim: Speaker): void {
    const { sessionUid } = victim;
    this.saves.killed(victim);
    this.killedRuntimes.set(sessionUid, (this.killedRuntimes.get(sessionUid) ?? 0) + 1);
  }

  operatorKilled(name: keyof Ledger["killedOperators"]): void {
    this.saves.killed();
    this.killedOperators[name] += 1;
  }

  #acknowledge(speaker: Speaker, upTo: number): void {
    const waiting = this.#waiting(speaker);
    for (const [seq, message] of waiting) {
      if (seq > upTo) continue;
      waiting.delete(seq);
      this.costs.acknowledged(speaker, message);
      this.acknowledged.push({ ...speaker, message });
    }
  }

  #waiting({ sessionUid, attempt }: Speaker): Map<number, NumberedMessage> {
    const key = `${sessionUid}.${attempt}`;
    const waiting = this.#unacknowledged.get(key) ?? new Map<number, NumberedMessage>();
    this.#unacknowledged.set(key, waiting);
    return waiting;
  }
}

/** The number at the end of a prompt's text. */
export function numberIn(text: string): number {
  return Number(/#(\d+)$/.exec(text)?.[1]);
}
