import { readFile } from "node:fs/promises";
import { request as send, type RequestOptions } from "node:https";

import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";

export interface GatewayAddress {
  /** Whole URL of this attempt, `wss:`. */
  url: string;
  /** Replaced by the kubelet as time goes by, so read before each request. */
  tokenFile: string;
  /** Holds the old and the new authority while they change, so read before each request. */
  caFile: string;
}

export interface Asked {
  /** Below the path of the attempt. */
  path: string;
  /** JSON for a POST; a GET without. */
  body?: string;
  /** Bytes of the largest answer that is taken. */
  longestAnswer: number;
  signal?: AbortSignal | undefined;
}

export interface GatewayResponse {
  status: number;
  content: Buffer;
}

/** How long one try may be without a byte, in milliseconds; the gateway answers sooner. */
const silenceMs = 30_000;

/** Waits between tries of what failed for now, in milliseconds: less than half a minute in all. */
export const retriesMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];

/** Asks again while the answer is 503; the last answer after all tries, or when the signal ends them. */
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

/** One request of the runtime's beside its connection. Rejects when there is no whole answer. */
export async function askGateway({ url, tokenFile, caFile }: GatewayAddress, asked: Asked): Promise<GatewayResponse> {
  const [token, ca] = await Promise.all([readFile(tokenFile, "utf8"), readFile(caFile, "utf8")]);
  const { path, body, signal } = asked;
  const headers: Record<string, string | number> = { authorization: `Bearer ${token.trim()}` };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    headers["content-length"] = Buffer.byteLength(body);
  }
  const options: RequestOptions = { method: body === undefined ? "GET" : "POST", headers, ca, agent: false };
  const to = new URL(`${url.replace(/^wss:/, "https:")}${path}`);
  return new Promise((resolve, reject) => {
    const request = send(to, { ...options, timeout: silenceMs, ...(signal ? { signal } : {}) }, (response) => {
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
