import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";

import { Agent, fetch } from "undici";

import type { Clock } from "../../lib/clock.ts";
import { ProviderError } from "../provider-error.ts";

/** The gateway's REST API, as the connector reaches it. */
export interface GatewayAccess {
  /** Such as `https://runwright-gateway.runwright-system.svc:8444`. */
  url: string;
  /** PEM file of the authorities of its certificate; read for each call, since authorities change. */
  authoritiesFile: string;
  /** File with a token for the gateway alone; read for each call, since the kubelet replaces it. */
  tokenFile: string;
}

export interface GatewayDeps {
  gateway: GatewayAccess;
  clock: Pick<Clock, "setTimeout">;
}

interface Call {
  path: string;
  /** Bytes of a POST; left out for a GET. */
  content?: Uint8Array;
  /** Bytes of the largest answer. */
  longestAnswer: number;
}

/** Milliseconds for a whole call. */
const callMs = 60_000;

/** Calls the gateway and follows no redirect. @throws ProviderError `unavailable` where no whole answer comes */
export async function callGateway(
  { gateway, clock }: GatewayDeps,
  { path, content, longestAnswer }: Call,
): Promise<{ status: number; content: Buffer<ArrayBuffer> }> {
  const end = new AbortController();
  const timer = clock.setTimeout(() => end.abort(), callMs);
  let dispatcher: Agent | undefined;
  try {
    const [ca, token] = await Promise.all([readFile(gateway.authoritiesFile), readFile(gateway.tokenFile, "utf8")]);
    dispatcher = new Agent({ connect: { ca }, maxResponseSize: longestAnswer });
    const authorization = `Bearer ${token.trim()}`;
    const upload = content && { method: "POST", body: Buffer.from(content) };
    const headers = { authorization, ...(content && { "content-type": "application/octet-stream" }) };
    const options = { headers, ...upload, redirect: "manual", dispatcher, signal: end.signal } as const;
    const answer = await fetch(gateway.url + path, options);
    return { status: answer.status, content: Buffer.from(await answer.arrayBuffer()) };
  } catch (cause) {
    throw new ProviderError("unavailable", "The gateway gave no usable answer", { cause });
  } finally {
    timer.cancel();
    await dispatcher?.destroy();
  }
}
