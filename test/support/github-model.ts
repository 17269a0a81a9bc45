import type { GitHubPull, GitHubReview } from "./github-pulls.ts";

export interface GitHubComment {
  id: number;
  /** OWNER/NAME in lower case. */
  repository: string;
  number: number;
  body: string;
  user: { id: number; login: string };
  createdMs: number;
  /** Of a comment on a line of the changes. */
  review?: {
    path: string;
    line: number | null;
    original_line: number | null;
    diff_hunk: string;
    pull_request_review_id?: number;
    in_reply_to_id?: number;
    start_line?: number | null;
  };
  reactions: string[];
}

export interface GitHubIssue {
  repository: string;
  number: number;
  title: string;
  body: string | null;
  /** Of a pull request. */
  pull?: { head: string; base: string; headRepository: string };
}

/** What happens to a call in place of the usual. `lose` carries it out and drops the answer. */
export type GitHubFault =
  "drop" | "lose" | "html" | "redirect" | "throttle" | "error" | "refuse" | "unauthorized" | "hang";

type Hook = (route: string, caller: string) => void | Promise<void>;

/** A try to deliver an event of the App's webhook. */
export interface GitHubDelivery {
  /** Digits: it is more than a number holds exactly. */
  id: string;
  guid: string;
  delivered_at: string;
  status_code: number;
  event: string;
  installation_id: number;
}

export interface GitHubServer {
  readonly url: string;
  readonly app: { id: number; slug: string; privateKey: string; publicKey: string };
  readonly installation: {
    id: number;
    permissions: Record<string, string>;
    events: string[];
    suspended_at: string | null;
  };
  readonly issues: GitHubIssue[];
  readonly comments: GitHubComment[];
  readonly pulls: GitHubPull[];
  readonly reviews: GitHubReview[];
  /** OWNER/NAME:BRANCH of what was pushed. */
  readonly branches: Set<string>;
  /** The oldest first. */
  readonly deliveries: GitHubDelivery[];
  /** Called with a delivery that is to be sent again. */
  redeliver: ((delivery: GitHubDelivery) => void) | undefined;
  /** By login; `none` for all others. */
  readonly permissions: Map<string, "admin" | "write" | "read" | "none">;
  /** Method and path of each call. */
  readonly calls: string[];
  /** What was asked for and answered, as it went over the wire. */
  readonly answered: { method: string; url: URL; sent: unknown; status: number; body: unknown }[];
  /** What tokens were asked for. */
  readonly tokens: { token: string; repositories: string[]; permissions: Record<string, string> }[];
  /** Why calls were refused that no limit of GitHub's allows. */
  readonly refused: string[];
  fault: ((route: string) => GitHubFault | undefined) | undefined;
  after: Hook | undefined;
  /** Callers at `/caller-NAME` whose process has ended: nothing of them is taken any more. */
  readonly dead: Set<string>;
  /** Tokens that came to where redirects lead to. */
  readonly leaked: string[];
  /** A comment of a person's; gives its id. */
  say(comment: Omit<GitHubComment, "id" | "createdMs" | "reactions">): number;
  close(): Promise<void>;
}

/** What the stand-in answers. */
export interface GitHubAnswer {
  status: number;
  body: object;
  headers?: Record<string, string>;
}
