import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { keyText, type KubeObject, type ObjectKey, parseKey, type Resource } from "../lib/resource.ts";
import type { BackoffLimits } from "./backoff.ts";
import type { Change } from "./cache.ts";
import type { KubeClient } from "./client.ts";
import type { Verb, WriteBasis } from "./client-options.ts";
import { askedDelayMs } from "./errors.ts";
import type { Informer } from "./informer.ts";
import { failureKindOf, type FailureKind, type Outcome } from "./outcome.ts";
import { OwnWrites } from "./own-writes.ts";
import { type KubeLog, silentLog } from "./ports.ts";
import { sleep } from "../lib/sleep.ts";
import { WorkQueue } from "./work-queue.ts";

/** Brings one object closer to its wanted state. It gets a key alone and reads everything else itself. */
export interface Reconciler {
  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome>;
  /** Called after each failure, except conflicts and shutdown, to report it on the object; its own errors are logged. */
  failed?(key: ObjectKey, error: unknown, kind: "terminal" | "error"): Promise<void>;
}

export interface ControllerMetrics {
  reconciled(controller: string, outcome: Outcome["kind"] | FailureKind, durationMs: number): void;
  queueWaited(controller: string, waitedMs: number): void;
  /** A create, update, patch or delete that the controller sent; status 0 = no answer. */
  wrote(controller: string, verb: Verb, resource: Resource<KubeObject>, status: number): void;
}

export interface ControllerDeps {
  clock: Clock;
  random: Pick<Random, "fraction">;
  log?: KubeLog | undefined;
  metrics?: ControllerMetrics | undefined;
}

export interface ControllerOptions {
  /** Names the controller in logs and metrics. */
  name: string;
  reconciler: Reconciler;
  /** Keys of one namespace that are reconciled concurrently, by default 4; of all twice as many, unless it is 1. */
  concurrency?: number | undefined;
  /** Keys of the same group are reconciled one after the other. */
  groupOf?: ((key: ObjectKey) => string) | undefined;
  /** By default from 200 ms up to a minute. */
  backoff?: BackoffLimits | undefined;
}

export interface WatchRule<T extends KubeObject> {
  /** Keys affected by a change of this object; called for the object before and after the change. */
  keysOf: (object: T) => readonly ObjectKey[];
  /** Filters changes. */
  when?: ((change: Change<T>) => boolean) | undefined;
}

interface Source {
  resource: Resource<KubeObject>;
  start: () => void;
  synced: () => Promise<void>;
  observeWrite: (stored: KubeObject, basis: WriteBasis) => void;
}

/** Turns changes of watched objects into keys and reconciles each, one worker per key. */
export class Controller {
  readonly name: string;
  readonly #deps: ControllerDeps;
  readonly #options: ControllerOptions;
  readonly #queue: WorkQueue;
  readonly #workers: number;
  readonly #own = new OwnWrites();
  readonly #sources: Source[] = [];
  readonly #held = new Map<string, Change<KubeObject>[]>();
  /** The key whose reconcile is running. */
  readonly #current = new AsyncLocalStorage<string>();
  readonly #abort = new AbortController();
  #working = 0;
  #isOpen = false;
  #whenIdle: (() => void) | undefined;

  constructor(deps: ControllerDeps, options: ControllerOptions) {
    const { clock, random } = deps;
    const { groupOf, backoff = { baseMs: 200, maxMs: 60_000 }, concurrency = 4 } = options;
    this.name = options.name;
    this.#deps = deps;
    this.#options = options;
    // A namespace may have as many workers as are free, which alone is half of them.
    this.#workers = concurrency === 1 ? 1 : 2 * concurrency;
    this.#queue = new WorkQueue({
      clock,
      random,
      backoff,
      groupOf: groupOf && ((key) => groupOf(parseKey(key))),
      // A namespace with thousands of keys leaves others their turns, and workers.
      places: this.#workers,
      sharerOf: (key) => parseKey(key).namespace ?? "",
      onReady: () => this.#pump(),
    });
  }

  /** Keys that wait for a worker. */
  get queueLength(): number {
    return this.#queue.length;
  }

  /** A client whose writes show in the watched caches at once and do not enqueue the key that wrote them. */
  clientOf(client: KubeClient): KubeClient {
    return client.withHooks({
      afterWrite: (resource, stored, basis) => this.#wrote(resource, stored, basis),
      afterRequest: ({ verb, resource, status }) => {
        if (verb === "get" || verb === "list" || verb === "watch") return;
        this.#deps.metrics?.wrote(this.name, verb, resource, status);
      },
    });
  }

  /** Enqueues keys on changes of these objects. Called before {@link start}. */
  watch<T extends KubeObject>(informer: Informer<T>, rule: WatchRule<T>): void {
    this.#sources.push({
      resource: informer.resource,
      start: () => void informer.onChange((change) => this.#changed(change, rule)),
      synced: () => informer.synced(),
      // The client's hook passes objects of this very resource.
      observeWrite: (stored, basis) => informer.observeWrite(stored as T, basis),
    });
  }

  /** Enqueues a key without an event. */
  enqueue(key: ObjectKey, delayMs = 0): void {
    if (delayMs > 0) this.#queue.addAfter(keyText(key), delayMs);
    else this.#queue.add(keyText(key));
  }

  /** Starts to reconcile once every watched collection was listed. */
  async start(): Promise<void> {
    for (const source of this.#sources) source.start();
    await Promise.all(this.#sources.map((source) => source.synced()));
    this.#isOpen = true;
    this.#pump();
  }

  /** Starts no further reconciles and waits for running ones; aborts their signal after `graceMs`. */
  async stop(graceMs = 10_000): Promise<void> {
    this.#isOpen = false;
    this.#queue.close();
    if (this.#working === 0) return;
    const idle = new Promise<void>((resolve) => (this.#whenIdle = resolve));
    const patience = new AbortController();
    void sleep(this.#deps.clock, graceMs, patience.signal).then(() => this.#abort.abort());
    await idle;
    patience.abort();
  }

  #changed<T extends KubeObject>(change: Change<T>, rule: WatchRule<T>): void {
    if (rule.when && !rule.when(change)) return;
    const objects = change.old ? [change.old, change.object] : [change.object];
    for (const key of new Set(objects.flatMap((object) => rule.keysOf(object).map(keyText)))) {
      // It may be the event of a write under way, which is known once that write was answered.
      if (this.#queue.isOut(key)) this.#held.set(key, [...(this.#held.get(key) ?? []), change]);
      else if (!this.#isEcho(key, change)) this.#queue.add(key);
    }
  }

  /** Whether it is the event of the key's own write. A deletion never is: it shows the last version, of any writer. */
  #isEcho(key: string, { type, object }: Change<KubeObject>): boolean {
    return type !== "deleted" && this.#own.isBy(key, object);
  }

  #wrote(resource: Resource<KubeObject>, stored: KubeObject, basis: WriteBasis): void {
    const key = this.#current.getStore();
    if (key !== undefined) this.#own.record(stored, key);
    for (const source of this.#sources) {
      if (source.resource.plural === resource.plural && source.resource.group === resource.group) {
        source.observeWrite(stored, basis);
      }
    }
  }

  #pump(): void {
    while (this.#isOpen && this.#working < this.#workers) {
      const next = this.#queue.take();
      if (!next) return;
      this.#working += 1;
      this.#deps.metrics?.queueWaited(this.name, next.waitedMs);
      void this.#work(next.key).finally(() => this.#finished(next.key));
    }
  }

  #finished(key: string): void {
    this.#working -= 1;
    const held = this.#held.get(key) ?? [];
    this.#held.delete(key);
    if (held.some((change) => !this.#isEcho(key, change))) this.#queue.add(key);
    this.#queue.done(key);
    this.#pump();
    if (this.#working === 0) this.#whenIdle?.();
  }

  async #work(key: string): Promise<void> {
    const startMs = this.#deps.clock.monotonicMs();
    let outcome: Outcome["kind"] | FailureKind;
    try {
      const { reconciler } = this.#options;
      const ended = await this.#current.run(key, () => reconciler.reconcile(parseKey(key), this.#abort.signal));
      outcome = ended.kind;
      this.#queue.forget(key);
      if (ended.kind === "requeueAfter") this.enqueue(parseKey(key), ended.delayMs);
    } catch (error) {
      outcome = await this.#judge(key, error);
    }
    const durationMs = this.#deps.clock.monotonicMs() - startMs;
    this.#deps.metrics?.reconciled(this.name, outcome, durationMs);
    (this.#deps.log ?? silentLog).debug({ controller: this.name, ...parseKey(key), outcome, durationMs }, "Reconciled");
  }

  async #judge(key: string, error: unknown): Promise<FailureKind> {
    const log = this.#deps.log ?? silentLog;
    const data = { controller: this.name, ...parseKey(key), err: error };
    const kind = this.#abort.signal.aborted ? "stopped" : failureKindOf(error);
    switch (kind) {
      case "terminal":
        this.#queue.forget(key);
        log.warn(data, "Reconcile needs a change by a person");
        break;
      case "conflict":
        this.#queue.retry(key);
        log.debug(data, "Reconcile met a newer version");
        break;
      case "error":
        this.#queue.retry(key, askedDelayMs(error));
        log.error(data, "Reconcile failed");
        break;
      case "stopped":
        log.debug(data, "Reconcile was stopped");
        break;
    }
    if (kind === "terminal" || kind === "error") await this.#report(key, error, kind);
    return kind;
  }

  async #report(key: string, error: unknown, kind: "terminal" | "error"): Promise<void> {
    const { reconciler } = this.#options;
    const name = parseKey(key);
    try {
      // Its writes count as the key's own, so that their events do not end the backoff.
      await this.#current.run(key, async () => reconciler.failed?.(name, error, kind));
    } catch (err) {
      (this.#deps.log ?? silentLog).warn({ controller: this.name, ...name, err }, "Failure could not be reported");
    }
  }
}
