import { Buffer } from "node:buffer";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { backoffMs } from "./backoff.ts";
import type { KubeClient } from "./client.ts";
import { type Event, events } from "./core-resources.ts";
import { isNotFound, isTransient } from "./errors.ts";
import { EventBudget } from "./event-budget.ts";
import { microTime } from "./micro-time.ts";
import type { ObjectReference } from "./object-reference.ts";
import { type KubeLog, silentLog } from "./ports.ts";
import { setNewest } from "../lib/set-newest.ts";
import { sleep, waitAtMost } from "../lib/sleep.ts";

/** An Event on an object. */
export interface EventFacts {
  regarding: ObjectReference;
  related?: ObjectReference | undefined;
  type: "Normal" | "Warning";
  /** The condition's reason, CamelCase. */
  reason: string;
  /** The action, CamelCase; by default the reason. */
  action?: string | undefined;
  /** For people; cut at 1,024 bytes. Equal notes are counted as repeats. */
  note: string;
}

export interface EventRecorderDeps {
  client: Pick<KubeClient, "create" | "patch">;
  clock: Clock;
  random: Pick<Random, "fraction" | "uuid">;
  log?: KubeLog | undefined;
  metrics?: { eventDropped(reason: "queue" | "budget" | "error"): void } | undefined;
}

export interface EventRecorderOptions {
  /** Such as `runwright.dev/controller`. */
  reportingController: string;
  /** The pod's name. */
  reportingInstance: string;
}

interface Series {
  facts: EventFacts;
  namespace: string;
  name: string;
  count: number;
  lastMs: number;
  lastTime: string;
  isStored: boolean;
  isQueued: boolean;
}

const longestQueue = 1_000;
const mostSeries = 4_096;
/** The same event again within this time is one more of a series instead of another object. */
const seriesMs = 600_000;
const attempts = 3;
const retryBackoff = { baseMs: 500, maxMs: 5_000 };
const noteBytes = 1_024;

/**
 * Writes Events in the background, one at a time. Repeats are counted in one Event, and Events beyond the budget of an
 * object or the length of the queue are dropped: they must never delay or fail the work that they describe.
 */
export class EventRecorder {
  readonly #deps: EventRecorderDeps;
  readonly #options: EventRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #queue: Series[] = [];
  readonly #budget: EventBudget;
  #sending: Promise<void> | undefined;

  constructor(deps: EventRecorderDeps, options: EventRecorderOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#budget = new EventBudget(deps.clock);
  }

  /** Queues an Event; never throws and never waits. */
  record(facts: EventFacts): void {
    const { regarding, type, reason, action, note } = facts;
    const key = JSON.stringify([regarding.uid, regarding.name, type, reason, action, note]);
    const known = this.#series.get(key);
    const nowMs = this.#deps.clock.monotonicMs();
    if (known && nowMs - known.lastMs < seriesMs) {
      known.count += 1;
      known.lastMs = nowMs;
      known.lastTime = microTime(this.#deps.clock.now());
      this.#enqueue(known);
      return;
    }
    if (!this.#budget.take(regarding.uid ?? regarding.name)) {
      this.#deps.metrics?.eventDropped("budget");
      return;
    }
    const series = this.#begin(facts, nowMs);
    setNewest(this.#series, key, series, mostSeries);
    this.#enqueue(series);
  }

  /** Waits until all queued Events are written or dropped, at most `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.#sending) await waitAtMost(this.#deps.clock, timeoutMs, this.#sending);
  }

  #begin(facts: EventFacts, nowMs: number): Series {
    const { regarding } = facts;
    return {
      facts,
      // Events on cluster-scoped objects live where kubectl looks for them.
      namespace: regarding.namespace ?? "default",
      name: `${regarding.name.slice(0, 200)}.${this.#deps.random.uuid()}`,
      count: 1,
      lastMs: nowMs,
      lastTime: microTime(this.#deps.clock.now()),
      isStored: false,
      isQueued: false,
    };
  }

  #enqueue(series: Series): void {
    if (series.isQueued) return;
    if (this.#queue.length >= longestQueue) {
      this.#deps.metrics?.eventDropped("queue");
      return;
    }
    series.isQueued = true;
    this.#queue.push(series);
    this.#send();
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      // Something may have come between the last look into the queue and this.
      if (this.#queue.length > 0) this.#send();
    });
  }

  async #sendAll(): Promise<void> {
    // In a later turn, so that repeats that the caller records together become one write.
    await Promise.resolve();
    for (let series = this.#queue.shift(); series; series = this.#queue.shift()) {
      series.isQueued = false;
      await this.#sendOne(series);
    }
  }

  async #sendOne(series: Series): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#write(series);
        return;
      } catch (err) {
        if (attempt < attempts && isTransient(err)) {
          await sleep(this.#deps.clock, backoffMs(attempt, retryBackoff, this.#deps.random));
          continue;
        }
        this.#deps.metrics?.eventDropped("error");
        (this.#deps.log ?? silentLog).debug({ err, event: series.facts.reason }, "Event was not written");
        return;
      }
    }
  }

  async #write(series: Series): Promise<void> {
    const { namespace, name, count, lastTime } = series;
    const repeats = { series: { count, lastObservedTime: lastTime } };
    if (series.isStored) {
      try {
        await this.#deps.client.patch(events, { namespace, name }, repeats);
        return;
      } catch (error) {
        // The API server keeps events for an hour.
        if (!isNotFound(error)) throw error;
      }
    }
    await this.#deps.client.create(events, { ...this.#eventOf(series), ...(count > 1 ? repeats : {}) });
    series.isStored = true;
  }

  #eventOf({ facts, namespace, name, lastTime }: Series): Event {
    const { regarding, related, type, reason, action = reason, note } = facts;
    const { reportingController, reportingInstance } = this.#options;
    return {
      metadata: { namespace, name },
      eventTime: lastTime,
      reportingController,
      reportingInstance: reportingInstance.slice(0, 128),
      type,
      reason: reason.slice(0, 128),
      action: action.slice(0, 128),
      note: cut(note, noteBytes),
      regarding: asReference(regarding),
      ...(related ? { related: asReference(related) } : {}),
    };
  }
}

/** The longest prefix of a text that fits into this number of UTF-8 bytes without splitting a character. */
function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text, "utf8");
  if (encoded.length <= bytes) return text;
  return new TextDecoder("utf-8").decode(encoded.subarray(0, bytes), { stream: true });
}

/** Without the members that are not known. */
function asReference(reference: ObjectReference): NonNullable<Event["regarding"]> {
  return Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== undefined));
}
