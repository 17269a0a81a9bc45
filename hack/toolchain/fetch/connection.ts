import { EnvHttpProxyAgent, fetch, type Response } from "undici";

import { proxyRemedy } from "../obstacles.ts";

/** How long a publisher may take. */
export interface Patience {
  /** Milliseconds until there is a connection: name, TCP and TLS. */
  connectMs: number;
  /** Milliseconds until an answer begins, and between two pieces of it. */
  silenceMs: number;
}

/** A publisher's or a proxy's *no*, also by silence: the file is not to be had from there now. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
}

const usual: Patience = { connectMs: 5_000, silenceMs: 30_000 };

/**
 * Connections to publishers, through the proxy that HTTPS_PROXY and HTTP_PROXY name, except to hosts of NO_PROXY. Silence is
 * remembered as long as this object lives: after the first host that did not answer in time no other is tried, so that a machine
 * without a network waits once.
 */
export class Connection {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #patience: Patience;
  #agent: EnvHttpProxyAgent | undefined;
  #silent: DownloadError | undefined;

  constructor(environment: NodeJS.ProcessEnv, patience: Patience = usual) {
    this.#environment = environment;
    this.#patience = patience;
  }

  /** Asks for what comes from byte `offset` on. Throws {@link DownloadError} when no answer comes. */
  async get(url: string, offset: number): Promise<Response> {
    if (this.#silent !== undefined) throw this.#silent;
    this.#agent ??= makeAgent(this.#environment, this.#patience);
    const { host } = new URL(url);
    const range = offset === 0 ? {} : { range: `bytes=${offset}-` };
    // undici limits connections, but not how long a proxy takes to open a tunnel.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#patience.silenceMs);
    try {
      const headers = { "accept-encoding": "identity", ...range };
      return await fetch(url, { dispatcher: this.#agent, headers, signal: limit.signal });
    } catch (error) {
      throw this.#refusal(host, rootOf(error), limit.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes every connection at once. */
  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  #refusal(host: string, cause: Error & { code?: unknown }, isSilent: boolean): DownloadError {
    const { connectMs, silenceMs } = this.#patience;
    const remembered = (how: string): DownloadError => {
      this.#silent = new DownloadError(`${host} cannot be reached (${how})`);
      return this.#silent;
    };
    if (isSilent) return remembered(`no answer within ${silenceMs / 1000} s`);
    if (cause.code === "UND_ERR_CONNECT_TIMEOUT") return remembered(`no connection within ${connectMs / 1000} s`);
    if (cause.message.includes("(407)")) return new DownloadError(proxyRemedy);
    return new DownloadError(`${host} cannot be reached (${cause.message || String(cause.code)})`);
  }
}

function makeAgent(environment: NodeJS.ProcessEnv, { connectMs, silenceMs }: Patience): EnvHttpProxyAgent {
  const read = (name: string): string => environment[name.toLowerCase()] ?? environment[name] ?? "";
  const [httpProxy, httpsProxy] = [read("HTTP_PROXY"), read("HTTPS_PROXY")];
  const wrong = [httpsProxy, httpProxy].find((proxy) => proxy !== "" && !URL.canParse(proxy));
  if (wrong !== undefined) {
    throw new DownloadError(
      `HTTPS_PROXY or HTTP_PROXY is "${wrong}", which is no URL such as http://proxy.example.com:3128`,
    );
  }
  const limits = { connectTimeout: connectMs, bodyTimeout: silenceMs };
  return new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy: read("NO_PROXY"), ...limits });
}

/** fetch says only that it failed; why is the innermost cause. */
function rootOf(error: unknown): Error & { code?: unknown } {
  let found = error instanceof Error ? error : new Error(String(error));
  while (found.cause instanceof Error) found = found.cause;
  return found;
}
