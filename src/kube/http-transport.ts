import type { Clock } from "../lib/clock.ts";
import type { ApiAccess } from "./access.ts";
import { Connections, type Lines } from "./connections.ts";
import { KubeError } from "./errors.ts";
import { Exchange, type ExchangeOptions } from "./exchange.ts";
import type { ApiAnswer, ApiRequest, RequestLimits, StreamLimits, StreamSink, Transport } from "./transport.ts";

export interface HttpTransportOptions {
  access: ApiAccess;
  clock: Clock;
  /** Connections for requests, by default 24: the rate rises up to about 16 and falls past 32. */
  size?: number;
}

/** Requests through one warm pool, watches through connections of their own. */
export class HttpTransport implements Transport {
  readonly #connections: Connections;
  readonly #clock: Clock;
  readonly #origin: string;
  readonly #basePath: string;

  constructor({ access, clock, size = 24 }: HttpTransportOptions) {
    this.#connections = new Connections({ access, clock, size });
    this.#clock = clock;
    const url = new URL(access.server);
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/$/, "");
  }

  async send(request: ApiRequest, limits: RequestLimits): Promise<ApiAnswer> {
    const options = { clock: this.#clock, timeoutMs: limits.timeoutMs, signal: limits.signal };
    const answer = await this.#exchange(request, options, "requests");
    if (!answer) throw new Error("an answer that is read whole has no end before its end");
    return answer;
  }

  async stream(request: ApiRequest, limits: StreamLimits, sink: StreamSink): Promise<ApiAnswer | undefined> {
    return this.#exchange(request, { clock: this.#clock, ...limits, sink }, "watches");
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #exchange(
    request: ApiRequest,
    options: ExchangeOptions,
    line: "requests" | "watches",
  ): Promise<ApiAnswer | undefined> {
    const lines = await this.#lines();
    const answer = await this.#once(request, options, lines, line);
    if (answer?.status !== 401) return answer;
    // The token may have been rotated since it was read. A 401 is decided before anything is done, so a repeat is safe.
    const fresh = await this.#connections.refreshed();
    return fresh ? this.#once(request, options, fresh, line) : answer;
  }

  async #lines(): Promise<Lines> {
    try {
      return await this.#connections.lines();
    } catch (cause) {
      // A parser's complaint would quote what it read, and that is a credential.
      const why = cause instanceof Error && !(cause instanceof SyntaxError) ? cause.message : "they are malformed";
      const message = `credentials cannot be had: ${why}`;
      throw new KubeError({ message, status: 0, reason: "CredentialsUnavailable", delivery: "unsent" });
    }
  }

  #once(
    request: ApiRequest,
    options: ExchangeOptions,
    lines: Lines,
    line: "requests" | "watches",
  ): Promise<ApiAnswer | undefined> {
    const exchange = new Exchange(options);
    if (exchange.settled) return exchange.answer;
    const { method, body = null } = request;
    const path = this.#basePath + request.path;
    const headers = { accept: "application/json", ...request.headers, ...lines.headers };
    try {
      lines[line].dispatch({ origin: this.#origin, path, method, headers, body }, exchange);
    } catch (error) {
      exchange.fail("ConnectionFailed", error instanceof Error ? error.message : "dispatch failed", error);
    }
    return exchange.answer;
  }
}
