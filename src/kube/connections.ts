import { isDeepStrictEqual } from "node:util";
import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { Clock } from "../lib/clock.ts";
import type { ApiAccess, Credentials, TlsMaterial } from "./access.ts";

/** Below the 90 s after which the API server closes idle connections, so that requests rarely use a closed one. */
const keepAliveMs = 60_000;
const connectTimeoutMs = 5_000;
/** How long credentials are used before they are read again. */
const credentialsMs = 60_000;
/** Minimum time between reads, so that a server that always answers 401 does not run an exec plugin per request. */
const quickestRefreshMs = 2_000;

/** The current dispatchers and credential headers. */
export interface Lines {
  requests: Dispatcher;
  watches: Dispatcher;
  headers: Readonly<Record<string, string>>;
}

export interface ConnectionsOptions {
  access: ApiAccess;
  clock: Clock;
  /** Connections for requests; each watch has one of its own. */
  size: number;
}

/**
 * Keep-alive HTTP/1.1 connections to one API server. New tokens are used in place; new certificates get new connections,
 * and the old ones are closed after their last answer.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  #current: { lines: Lines; tls: TlsMaterial; readMs: number } | undefined;
  #reading: Promise<Lines> | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Returns the current lines; rejects when the credentials cannot be read. */
  lines(): Lines | Promise<Lines> {
    const age = this.#ageMs();
    return this.#current && age < credentialsMs ? this.#current.lines : this.#read();
  }

  /** Reads the credentials again after a 401; undefined when they are fresh already. */
  refreshed(): Promise<Lines> | undefined {
    return this.#ageMs() < quickestRefreshMs ? undefined : this.#read();
  }

  /** Closes all connections; requests under way are answered first, watches are cut. */
  async close(): Promise<void> {
    const { lines } = this.#current ?? {};
    this.#current = undefined;
    await Promise.all([lines?.requests.close(), lines?.watches.destroy()]);
  }

  #ageMs(): number {
    return this.#current ? this.#options.clock.monotonicMs() - this.#current.readMs : Infinity;
  }

  #read(): Promise<Lines> {
    this.#reading ??= this.#options.access
      .credentials()
      .then((credentials) => this.#use(credentials))
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  #use({ tls, headers }: Credentials): Lines {
    const readMs = this.#options.clock.monotonicMs();
    const previous = this.#current;
    if (previous && isDeepStrictEqual(previous.tls, tls)) {
      this.#current = { tls, readMs, lines: { ...previous.lines, headers } };
      return this.#current.lines;
    }
    const requests = openDispatcher(this.#options.access, tls, this.#options.size);
    const watches = openDispatcher(this.#options.access, tls, null);
    this.#current = { tls, readMs, lines: { requests, watches, headers } };
    void previous?.lines.requests.close();
    void previous?.lines.watches.close();
    return this.#current.lines;
  }
}

function openDispatcher(access: ApiAccess, tls: TlsMaterial, connections: number | null): Dispatcher {
  // HTTP/2 was measured at half the rate. Time limits are the exchange's own.
  const common = {
    connections,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const connect = { ...tls, timeout: connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: 15_000, allowH2: false };
  if (access.proxyUrl) return new ProxyAgent({ ...common, uri: access.proxyUrl, requestTls: connect });
  return new Pool(new URL(access.server).origin, { ...common, connect });
}
