import { setTimeout as delay } from "node:timers/promises";

import { Agent, request } from "undici";

import { Run } from "../../src/api/v1alpha1/index.ts";
import { findCondition } from "../../src/domain/conditions.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { Informer } from "../../src/kube/informer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";

export interface DeliveriesOptions {
  client: KubeClient;
  namespace: string;
  /** Of the webhook. */
  url: string;
  key: string;
  /** How long a Run may take from its delivery to its end, in milliseconds; by default 3 minutes. */
  runMs?: number;
}

/** Milliseconds until a sender that has no answer asks again. */
const againMs = 200;
/** How long an answer is waited for. */
const answerMs = 10_000;

/** Senders that repeat each event until it is accepted, and what became of their Runs. */
export class Deliveries {
  /** Idempotency keys of the events that were answered with success. */
  readonly accepted: string[] = [];
  readonly #options: DeliveriesOptions;
  readonly #agent = new Agent({ connections: 16 });
  readonly #runs: Informer<Run>;
  /** UIDs of the Runs of an event, and of those that have ended. */
  readonly #seen = new Map<string, Set<string>>();
  readonly #verdicts = new Map<string, string>();
  #sent = 0;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    const { client, namespace } = options;
    this.#runs = new Informer<Run>({ client, clock: systemClock, random: systemRandom }, Run, { namespace });
    this.#runs.onChange(({ object }) => this.#follow(object));
    this.#runs.start();
  }

  /** Sends one event after the other, each when the Run of the one before has ended, until the signal. */
  async keepSending(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) await this.send();
  }

  /** Sends a new event until it is accepted; resolves when its Run has ended. */
  async send(): Promise<void> {
    this.#sent += 1;
    const idempotencyKey = `event-${this.#sent}`;
    while (!(await this.#isAccepted(idempotencyKey))) await delay(againMs);
    this.accepted.push(idempotencyKey);
    const endMs = performance.now() + (this.#options.runMs ?? 180_000);
    while (!this.#verdicts.has(idempotencyKey) && performance.now() < endMs) await delay(20);
  }

  /** Verdicts of the Runs so far, each with its number. */
  get verdicts(): Record<string, number> {
    const reasons = Map.groupBy(this.#verdicts.values(), (reason) => reason);
    return Object.fromEntries([...reasons].map(([reason, those]) => [reason, those.length]));
  }

  /** Events without exactly one Run that has ended. */
  violations(): string[] {
    return this.accepted.flatMap((idempotencyKey) => {
      const count = this.#seen.get(idempotencyKey)?.size ?? 0;
      if (count !== 1) return [`${idempotencyKey} was accepted and has ${count} Runs`];
      return this.#verdicts.has(idempotencyKey) ? [] : [`the Run of ${idempotencyKey} has not ended`];
    });
  }

  /** UIDs of the Runs of accepted events. */
  get runs(): string[] {
    return this.accepted.flatMap((idempotencyKey) => [...(this.#seen.get(idempotencyKey) ?? [])]);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await this.#runs.stop();
  }

  #follow({ metadata, spec, status }: Run): void {
    const { idempotencyKey } = spec.trigger;
    if (idempotencyKey === undefined) return;
    this.#seen.set(idempotencyKey, (this.#seen.get(idempotencyKey) ?? new Set()).add(metadata.uid ?? ""));
    const succeeded = findCondition(status?.conditions, "Succeeded");
    if (succeeded && succeeded.status !== "Unknown") this.#verdicts.set(idempotencyKey, succeeded.reason);
  }

  async #isAccepted(idempotencyKey: string): Promise<boolean> {
    const { url, key } = this.#options;
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const body = JSON.stringify({ idempotencyKey });
    const signal = AbortSignal.timeout(answerMs);
    const sent = request(url, { dispatcher: this.#agent, method: "POST", headers, body, signal });
    const answer = await sent.catch(() => undefined);
    await answer?.body.dump().catch(() => undefined);
    return answer !== undefined && answer.statusCode >= 200 && answer.statusCode < 300;
  }
}
