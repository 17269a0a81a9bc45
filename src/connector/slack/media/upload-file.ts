import type { Clock } from "../../../lib/clock.ts";
import { ProviderError } from "../../provider-error.ts";
import { isAtSlack } from "../download.ts";

/** Milliseconds for a whole file. */
const uploadMs = 60_000;

/**
 * Sends a file to the address that Slack gave for it, which is its own authority: no token goes there. The address must be one of
 * Slack's hosts, and no redirect is followed. @throws ProviderError
 */
export async function uploadFile(
  { clock, slackUrl }: { clock: Pick<Clock, "setTimeout">; slackUrl: string },
  { url, content }: { url: string; content: Uint8Array<ArrayBuffer> },
): Promise<void> {
  if (!isAtSlack(url, slackUrl))
    throw new ProviderError("refused", "Slack named another host for the upload of a file");
  const end = new AbortController();
  const timer = clock.setTimeout(() => end.abort(), uploadMs);
  try {
    const headers = { "content-type": "application/octet-stream" };
    const { status } = await fetch(url, {
      method: "POST",
      body: content,
      headers,
      redirect: "manual",
      signal: end.signal,
    });
    if (status !== 200)
      throw new ProviderError(failureOf(status), `Slack answered the upload of a file with ${status}`);
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause;
    throw new ProviderError("unavailable", "Slack gave no answer to the upload of a file, or the connection broke", {
      cause,
    });
  } finally {
    timer.cancel();
    // What is left of the answer is not read.
    end.abort();
  }
}

function failureOf(status: number): "throttled" | "unavailable" | "refused" {
  if (status === 429) return "throttled";
  return status >= 500 ? "unavailable" : "refused";
}
