/** A review with its line comments, or one comment on the pull request. */
export type FeedbackKind = "Review" | "Comment";

/** A comment on a line of the changes; GitHub gives no line where the commented one is gone. */
export interface LineComment {
  url: string;
  path: string;
  line: number | null;
  startLine: number | null;
  originalLine: number | null;
  originalStartLine: number | null;
  side: string | null;
  startSide: string | null;
  body: string;
  diffHunk: string;
  isReply: boolean;
}

/** Feedback as GitHub has it when it is handled, whatever the event said. */
export interface Feedback {
  kind: FeedbackKind;
  url: string;
  body: string;
  /** Of a review, such as `COMMENTED`. */
  state?: string | undefined;
  /** Null where the account is gone. `type` is such as `User` or `Bot`. */
  author: { login: string; type: string } | null;
  /** Of a review. */
  comments: readonly LineComment[];
  isPullRequestOpen: boolean;
}

/** Who wrote it, as far as it matters for what may be done: `Own` is the App itself. */
export type AuthorKind = "Person" | "Bot" | "Own" | "Other";

export function authorKindOf({ author }: Pick<Feedback, "author">, slug: string): AuthorKind {
  if (author?.type === "User") return "Person";
  if (author?.type !== "Bot") return "Other";
  return botName(author.login) === botName(slug) ? "Own" : "Bot";
}

/** A bot's login as people may write it, too: without case, white space around it and `[bot]`. */
export function botName(login: string): string {
  return login
    .trim()
    .toLowerCase()
    .replace(/\[bot\]$/, "");
}
