import { readFile } from "node:fs/promises";
import { request as send, type RequestOptions } from "node:https";

import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { RuntimeLog } from "../log.ts";

/** How the runtime knows the gateway, and by what the gateway knows the runtime. */
export interface GatewayFiles {
  /** Replaced by the kubelet. */
  tokenFile: string;
  /** PEM; certificate authorities are rotated. */
  caFile: string;
}

export interface GatewayAddress extends GatewayFiles {
  /** URL of this attempt, `wss:`. */
  url: string;
}

/** What asking it again and again needs. */
export interface AskingDeps extends GatewayAddress {
  clock: Clock;
  log: RuntimeLog;
}

/** What a connection to the gateway needs, read anew for each. */
export async function readAccess({ tokenFile, caFile }: GatewayFiles): Promise<{ authorization: string; ca: string }> {
  const [token, ca] = await Promise.all([readFile(tokenFile, "utf8"), readFile(caFile, "utf8")]);
  return { authorization: `Bearer ${token.trim()}`, ca };
}

export interface Asked {
  /** Below the path of the attempt. */
  path: string;
  /** Of a POST: JSON, or the bytes of a file; left out for a GET. */
  body?: string | Buffer;
  /** Bytes of the largest accepted answer. */
  longestAnswer: number;
  signal?: AbortSignal | undefined;
}

export interface GatewayResponse {
  status: number;
  content: Buffer;
}

/** How long one try may be idle, in milliseconds; the gateway answers sooner. */
const idleMs = 30_000;

/** Waits before further tries, in milliseconds: less than half a minute in all. */
export const retriesMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];

/** Asks again while the answer is 503; resolves with the last answer after all tries or when the signal is aborted. */
export async function untilAnswered<T extends { status: number }>(
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
  ask: () => Promise<T>,
): Promise<T> {
  for (const waitMs of retriesMs) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await sleep(clock, waitMs, signal);
  }
  return ask();
}

/** Sends one HTTP request below the attempt's URL. Rejects when no complete answer comes. */
export async function askGateway(address: GatewayAddress, asked: Asked): Promise<GatewayResponse> {
  const { authorization, ca } = await readAccess(address);
  const { path, body, signal } = asked;
  const headers: Record<string, string | number> = { authorization };
  if (body !== undefined) {
    headers["content-type"] = typeof body === "string" ? "application/json" : "application/octet-stream";
    headers["content-length"] = Buffer.byteLength(body);
  }
  const options: RequestOptions = { method: body === undefined ? "GET" : "POST", headers, ca, agent: false };
  const to = new URL(`${address.url.replace(/^wss:/, "https:")}${path}`);
  return new Promise((resolve, reject) => {
    const request = send(to, { ...options, timeout: idleMs, ...(signal ? { signal } : {}) }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > asked.longestAnswer) request.destroy(new Error("too long"));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 503, content: Buffer.concat(chunks) }));
    });
    request.on("timeout", () => request.destroy(new Error("timeout")));
    request.on("error", reject);
    request.end(body);
  });
}
