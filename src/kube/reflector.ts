import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeObject, Resource } from "../lib/resource.ts";
import { backoffMs } from "./backoff.ts";
import type { KubeClient } from "./client.ts";
import type { Selection } from "./client-options.ts";
import { askedDelayMs, isAborted, KubeError } from "./errors.ts";
import { isNewer } from "../lib/resource-version.ts";
import { sleep } from "../lib/sleep.ts";
import type { WatchEvent } from "./watch-events.ts";

/** Why a collection was listed: at the start, after the server dropped our resource version, or after missed events. */
export type ListReason = "start" | "expired" | "drift";

/** What the reflector feeds; no method may throw. */
export interface ReflectorSink<T extends KubeObject> {
  /** `resourceVersion` is missing when the server's history was set back, so that the list replaces everything cached. */
  listed(items: T[], reason: ListReason, resourceVersion: string | undefined): void;
  changed(event: WatchEvent<T>): void;
  /** A list or watch failed and will be tried again; undefined is the regular end of a watch. */
  ended(error: unknown, failures: number): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  client: Pick<KubeClient, "list" | "watch">;
  clock: Clock;
  random: Pick<Random, "fraction">;
  resource: Resource<T>;
  selection: Selection;
  /** Reduces each listed object, page by page. */
  transform?: ((object: T) => T) | undefined;
  /** Milliseconds without an event or bookmark (one a minute) after which a watch counts as dead. */
  idleTimeoutMs: number;
}

/** The server ends each watch after this long at the latest, so that load spreads over its replicas again. */
const longestWatchSeconds = 600;
const failureBackoff = { baseMs: 250, maxMs: 15_000 };
/** Jitter after a regular end, because the server ends many watches at the same moment. */
const restartSpreadMs = 200;
const shortestWatchMs = 1_000;

/**
 * Lists once, then watches for ever. A watch that ends or breaks continues where it stopped; when the server no longer
 * knows that place (410), the collection is listed again.
 *
 * ```
 *   list ──▶ watch ──end, silence, broken connection──▶ wait ──▶ watch
 *     ▲        └──410, or a refusal that the place may have caused──▶ wait ──▶ list
 *     └── failed: wait ──▶ list
 * ```
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #sink: ReflectorSink<T>;
  #place: string | undefined;
  #reason: ListReason | undefined = "start";
  #failures = 0;
  #watching: AbortController | undefined;

  constructor(options: ReflectorOptions<T>, sink: ReflectorSink<T>) {
    this.#options = options;
    this.#sink = sink;
  }

  /** Resource version up to which all changes were delivered. */
  get place(): string | undefined {
    return this.#place;
  }

  /** Runs until the signal ends it; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      const startMs = this.#options.clock.monotonicMs();
      const error = await this.#round(signal);
      if (isOver()) return;
      this.#judge(error, this.#options.clock.monotonicMs() - startMs);
      this.#sink.ended(error, this.#failures);
      await sleep(this.#options.clock, this.#delayMs(error), signal);
    }
  }

  /** Ends the watch and lists the collection again, because events were missed. */
  relist(): void {
    this.#reason ??= "drift";
    this.#watching?.abort();
  }

  /** Lists when needed and watches until the end; returns the error, if any. */
  async #round(signal: AbortSignal): Promise<unknown> {
    try {
      if (this.#reason) await this.#list(this.#reason, signal);
      await this.#watch(signal);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  async #list(reason: ListReason, signal: AbortSignal): Promise<void> {
    const { client, resource, selection, transform } = this.#options;
    const { items, resourceVersion } = await client.list(resource, { ...selection, transform, signal });
    const setBack = this.#place !== undefined && isNewer(this.#place, resourceVersion);
    this.#place = resourceVersion;
    this.#reason = undefined;
    this.#sink.listed(items, reason, setBack ? undefined : resourceVersion);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, resource, selection, idleTimeoutMs, random } = this.#options;
    const watching = new AbortController();
    const stop = (): void => watching.abort();
    signal.addEventListener("abort", stop, { once: true });
    this.#watching = watching;
    const serverTimeoutSeconds = Math.ceil((longestWatchSeconds * (1 + random.fraction())) / 2);
    const place = { resourceVersion: this.#place ?? "", serverTimeoutSeconds, idleTimeoutMs };
    const options = { ...selection, ...place, signal: watching.signal };
    try {
      await client.watch(resource, options, (event) => this.#take(event));
    } finally {
      signal.removeEventListener("abort", stop);
      this.#watching = undefined;
    }
  }

  #take(event: WatchEvent<T>): void {
    this.#failures = 0;
    this.#place = event.object.metadata.resourceVersion ?? this.#place;
    if (event.type !== "BOOKMARK") this.#sink.changed(event);
  }

  #judge(error: unknown, lastedMs: number): void {
    // Cut by ourselves for a new list, or ended as agreed. A server that ends each watch at once is in trouble.
    if (isAborted(error) || (error === undefined && lastedMs >= shortestWatchMs)) {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    if (error !== undefined && !this.#reason && mayBeThePlace(error)) this.#reason = "expired";
  }

  #delayMs(error: unknown): number {
    const { random } = this.#options;
    if (this.#failures === 0) return random.fraction() * restartSpreadMs;
    const backoff = backoffMs(this.#failures, failureBackoff, random);
    return Math.max(backoff, askedDelayMs(error) * (1 + random.fraction() / 2));
  }
}

/**
 * Whether a new list may help: the place expired, or the request itself was refused. Missing permissions and an
 * overloaded server refuse a list just the same.
 */
function mayBeThePlace(error: unknown): boolean {
  if (!(error instanceof KubeError)) return true;
  const { status } = error;
  if (status === 401 || status === 403 || status === 429) return false;
  return isTooLarge(error) || (status >= 400 && status < 500);
}

/** The server's history ends before our place: it was restored from a backup. */
function isTooLarge(error: KubeError): boolean {
  return error.details?.causes?.some((cause) => cause.reason === "ResourceVersionTooLarge") ?? false;
}
