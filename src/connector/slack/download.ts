import type { Clock } from "../../lib/clock.ts";
import { ProviderError } from "../provider-error.ts";
import { retryAfterMs } from "../retry-after.ts";

/** Why a file cannot be had, however often it is asked for. */
export type DownloadLoss = "elsewhere" | "tooLarge" | "withheld";

export type Download = { content: Uint8Array } | { loss: DownloadLoss };

export interface FileRequest {
  url: string;
  token: string;
  longestBytes: number;
}

/** Milliseconds for a whole file. */
const downloadMs = 30_000;
/** Milliseconds until the next request where Slack wants fewer and does not say when. */
export const usualWaitMs = 1_000;

/**
 * Fetches a file with the bot's token, which goes to Slack alone: no redirect is followed. It reads no further than the limit.
 * @throws ProviderError `unavailable` or `throttled`
 */
export async function downloadFile(
  { clock, slackUrl }: { clock: Pick<Clock, "setTimeout">; slackUrl: string },
  { url, token, longestBytes }: FileRequest,
): Promise<Download> {
  if (!isAtSlack(url, slackUrl)) return { loss: "elsewhere" };
  const end = new AbortController();
  const timer = clock.setTimeout(() => end.abort(), downloadMs);
  try {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url, { redirect: "manual", headers, signal: end.signal });
    const loss = lossOf(response, longestBytes);
    return loss ? { loss } : await read(response, longestBytes);
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause;
    throw new ProviderError("unavailable", "Slack gave no answer to a file, or the connection broke", { cause });
  } finally {
    timer.cancel();
    // What is left of the body is not read.
    end.abort();
  }
}

/** Whether an address is one of Slack's own hosts, reached as its API is: `https://slack.com` and what is below that name. */
export function isAtSlack(url: string, slackUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const [file, own] = [new URL(url), new URL(slackUrl)];
  const isOwnHost = file.hostname === own.hostname || file.hostname.endsWith(`.${own.hostname}`);
  return isOwnHost && file.protocol === own.protocol && file.port === own.port;
}

/**
 * Why the file of an answer cannot be had; undefined for one whose body is to be read. Without the permission for files Slack answers
 * with its page for signing in, or leads there. @throws ProviderError
 */
export function lossOf(
  { status, headers }: Pick<Response, "status" | "headers">,
  longestBytes: number,
): DownloadLoss | undefined {
  if (status === 429) {
    const waitMs = retryAfterMs(headers.get("retry-after")) ?? usualWaitMs;
    throw new ProviderError("throttled", "Slack wants fewer requests for files", { retryAfterMs: waitMs });
  }
  if (status >= 500) throw new ProviderError("unavailable", `Slack answered a request for a file with ${status}`);
  if (status !== 200 || headers.get("content-type")?.startsWith("text/html")) return "withheld";
  return Number(headers.get("content-length") ?? 0) > longestBytes ? "tooLarge" : undefined;
}

async function read({ body }: Response, longestBytes: number): Promise<Download> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > longestBytes) return { loss: "tooLarge" };
    parts.push(part);
  }
  return { content: Buffer.concat(parts) };
}
