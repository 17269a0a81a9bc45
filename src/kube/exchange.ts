import { Buffer } from "node:buffer";
import type { Dispatcher } from "undici";
import type { Clock, Timer } from "../lib/clock.ts";
import { type Delivery, KubeError } from "./errors.ts";
import type { ApiAnswer, StreamSink } from "./transport.ts";

export interface ExchangeOptions {
  clock: Clock;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Given for streams: receives the bytes of a successful answer instead of collecting them. */
  sink?: StreamSink | undefined;
  idleTimeoutMs?: number | undefined;
}

const ignoreAbort = (): void => undefined;

/**
 * One request and its answer on an undici dispatcher. It uses the dispatcher's own callbacks rather than `request()`
 * because only they tell whether a failed request had begun to be written, which decides whether a repeat is safe.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #answer = Promise.withResolvers<ApiAnswer | undefined>();
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #timer: Timer | undefined;
  #stopListening: () => void = ignoreAbort;
  #status = 0;
  #retryAfterSeconds: number | undefined;
  #streaming = false;
  #heardMs = 0;
  #settled = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { clock, timeoutMs, signal } = options;
    this.#timer = clock.setTimeout(() => this.#give("Timeout", `no answer within ${timeoutMs} ms`), timeoutMs);
    if (!signal) return;
    const abort = (): void => this.#give("Aborted", "aborted by the caller", signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    this.#stopListening = () => signal.removeEventListener("abort", abort);
  }

  /** Resolves with the answer, or with undefined at the end of a stream. */
  get answer(): Promise<ApiAnswer | undefined> {
    return this.#answer.promise;
  }

  /** Whether it has ended, possibly before it was dispatched. */
  get settled(): boolean {
    return this.#settled;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing here drops a request that was given up while it waited for a connection, and keeps the connection.
    if (this.#settled) throw new Error("given up before it was sent");
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = statusCode;
    this.#retryAfterSeconds = retryAfterSeconds(headers["retry-after"]);
    if (!this.#options.sink || statusCode !== 200) return;
    this.#streaming = true;
    this.#timer?.cancel();
    this.#heardMs = this.#options.clock.monotonicMs();
    this.#watchForSilence(this.#options.idleTimeoutMs ?? this.#options.timeoutMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (!this.#streaming) return void this.#chunks.push(chunk);
    this.#heardMs = this.#options.clock.monotonicMs();
    try {
      this.#options.sink?.(chunk);
    } catch (error) {
      // The sink refused the bytes, such as a watch's error event; its error is passed on unchanged.
      this.#giveUp(error);
    }
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    const text = Buffer.concat(this.#chunks).toString("utf8");
    const answer = { status: this.#status, retryAfterSeconds: this.#retryAfterSeconds, text };
    this.#answer.resolve(this.#streaming ? undefined : answer);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail("ConnectionFailed", describe(error), error);
  }

  /** Ends the exchange without an answer, unless it has ended already. */
  fail(reason: string, message: string, cause?: unknown): void {
    if (!this.#settle()) return;
    const delivery: Delivery = this.#controller ? "lost" : "unsent";
    this.#answer.reject(new KubeError({ message, status: 0, reason, delivery, cause }));
  }

  #give(reason: string, message: string, cause?: unknown): void {
    this.fail(reason, message, cause);
    this.#controller?.abort(new Error(message));
  }

  #giveUp(error: unknown): void {
    if (!this.#settle()) return;
    this.#answer.reject(error);
    this.#controller?.abort(new Error("the stream was given up by its reader"));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#timer?.cancel();
    this.#stopListening();
    return true;
  }

  #watchForSilence(idleTimeoutMs: number): void {
    const silentMs = this.#options.clock.monotonicMs() - this.#heardMs;
    if (silentMs >= idleTimeoutMs) {
      this.#give("Timeout", `silent for ${idleTimeoutMs} ms`);
      return;
    }
    this.#timer = this.#options.clock.setTimeout(() => this.#watchForSilence(idleTimeoutMs), idleTimeoutMs - silentMs);
  }
}

/** The header as whole seconds; the API server never sends the date form. */
function retryAfterSeconds(header: string | string[] | undefined): number | undefined {
  const seconds = typeof header === "string" ? Number.parseInt(header, 10) : Number.NaN;
  return Number.isNaN(seconds) || seconds < 0 ? undefined : seconds;
}

/** undici's and Node's messages name addresses and causes, never headers or bodies. */
function describe(error: Error): string {
  if (error.message !== "") return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
