import type { PullRequestText } from "./messages.ts";
import { plainText } from "./text.ts";

/**
 * What an agent wants its pull request to say, without characters that mislead readers, and the title in one line; undefined
 * without a title. Nothing is cut, so that secrets are found in it.
 */
export function plainPullRequestText({ title, body }: PullRequestText): PullRequestText | undefined {
  const line = plainText(title, title.length).replace(/\s+/g, " ").trim();
  return line === "" ? undefined : { title: line, body: plainText(body, body.length).trim() };
}
