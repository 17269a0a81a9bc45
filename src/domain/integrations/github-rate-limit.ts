/** An answer of GitHub's, of which `data` is the parsed body. */
export interface GitHubAnswer {
  status: number;
  headers?: Readonly<Record<string, unknown>> | undefined;
  data?: unknown;
}

/** GitHub's words where no header tells a limit from a missing permission. */
const words = /\brate limit\b|\babuse detection\b/i;

/** Whether an answer says that there were too many requests, and not that this one is refused: 403 means either. */
export function isGitHubRateLimit({ status, headers = {}, data }: GitHubAnswer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return headers["retry-after"] !== undefined || isHourSpent(headers) || words.test(messageOf(data));
}

/** Whether nothing is left of the requests of an hour, so that `x-ratelimit-reset` says when there are more. */
export function isHourSpent(headers: Readonly<Record<string, unknown>>): boolean {
  return headers["x-ratelimit-remaining"] === "0";
}

function messageOf(data: unknown): string {
  const message = (data as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message : "";
}
