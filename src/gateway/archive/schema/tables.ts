import type { ArchiveBudget } from "../trim/archive-bounds.ts";
import { jsonOrNull, name, nameOrNull, number, numberOrNull, type RowOf, text, textOrNull } from "./columns.ts";

/** Tables of the archive. Instants are milliseconds since 1970, money is millionths of a US dollar. */
export interface Tables {
  writer: WriterTable;
  runs: RunRow;
  sessions: SessionRow;
  pull_requests: PullRequestRow;
  session_sums: SessionSumsRow;
  pull_request_sums: PullRequestSumsRow;
  sizes: SizeRow;
  trimmed: TrimmedRow;
}

/** Tables with a row for each object of a kind. */
export const archivedTables = ["runs", "sessions", "pull_requests"] as const;
export type ArchivedTable = (typeof archivedTables)[number];

/** One row: who may write. */
interface WriterTable {
  id: number;
  /** Grows by one with each new leader; the writer of an earlier term is refused. */
  term: number;
}

/** What the rows of one namespace take. */
interface SizeRow {
  namespace: string;
  bytes: number;
}

/** Of a namespace whose oldest rows a budget took away before their time. */
export interface TrimmedRow {
  namespace: string;
  /** When the newest of them was created: history is whole after it. */
  newest_ms: number;
  /** The budget that was exceeded last, and its bytes then. */
  budget: ArchiveBudget;
  budget_bytes: number;
}

const runColumns = {
  uid: name,
  namespace: name,
  name: name,
  /** UID of the skipped Run for which this one stands: of the two, this one counts. */
  copy_of: nameOrNull,
  automation: name,
  automation_uid: nameOrNull,
  /** `Webhook`, `ErrorTracker`, `GitHub`, `Slack`, `Schedule` or `Manual`. */
  trigger_type: name,
  /** As the REST API says it: starting, running, completed, partial_failed, failed or skipped. */
  state: name,
  /** Why it was skipped or has failed, as the REST API says it. */
  reason: textOrNull,
  message: textOrNull,
  delivery_id: textOrNull,
  requested_by: nameOrNull,
  created_ms: number,
  /** When the delivery came, the slot was due or the person fired it. */
  accepted_ms: number,
  started_ms: numberOrNull,
  ended_ms: numberOrNull,
  summary: textOrNull,
  branch: textOrNull,
  commit_id: textOrNull,
  /** The branches that were pushed, as in the result. Undefined where the writer has not yet brought the schema up to date. */
  pushes: jsonOrNull,
  /** When the archive saw that the object had been deleted. */
  gone_ms: numberOrNull,
};
export type RunRow = RowOf<typeof runColumns>;

const sessionColumns = {
  uid: name,
  namespace: name,
  name: name,
  title: textOrNull,
  /** `automation`, `agent` (a child session) or `person`. */
  source: name,
  run_uid: nameOrNull,
  automation_uid: nameOrNull,
  parent_uid: nameOrNull,
  /** User name of who sent the first prompt, where the gateway knows. */
  requested_by: nameOrNull,
  /** Name of the primary Repository. */
  repository: nameOrNull,
  /** As the REST API says it: created, active or idle. */
  state: name,
  /** Of the last ended prompt: completed, failed or cancelled. */
  outcome: nameOrNull,
  messages: number,
  cost_micro: number,
  created_ms: number,
  /** Since when it is idle; null while it is at work. */
  idle_ms: numberOrNull,
  gone_ms: numberOrNull,
};
export type SessionRow = RowOf<typeof sessionColumns>;

const pullRequestColumns = {
  uid: name,
  namespace: name,
  name: name,
  /** UID of the Session whose agent pushed the branch. */
  session_uid: name,
  /** That of its session; null where the archive has never seen it. */
  source: nameOrNull,
  /** Name of the Repository that the branch was pushed to. */
  repository: name,
  /** `OWNER/NAME` at the provider, in lower case. */
  full_name: text,
  /** The number that people call it by; null before it is open. */
  number: numberOrNull,
  /** What the provider last said of it: draft, open, merged or closed; null before it is open. */
  state: nameOrNull,
  /** Cost of its session, at the first pull request of it; 0 at others. Null where the archive has never seen the session. */
  cost_micro: numberOrNull,
  created_ms: number,
  merged_ms: numberOrNull,
  gone_ms: numberOrNull,
};
export type PullRequestRow = RowOf<typeof pullRequestColumns>;

/** What the columns of each table with a row for each object hold. */
export const columnsOf = { runs: runColumns, sessions: sessionColumns, pull_requests: pullRequestColumns };

/** What a number of sessions add up to. */
export interface SessionSums {
  sessions: number;
  /** Sessions whose object is there and that are at work. */
  active: number;
  /** Sessions whose object is gone. */
  archived: number;
  /** Sessions whose last prompt ended so; those of them that are idle and there, in the columns of `idle_…` again. */
  completed: number;
  failed: number;
  cancelled: number;
  idle_completed: number;
  idle_failed: number;
  idle_cancelled: number;
  messages: number;
  cost_micro: number;
  /** Sessions that are idle or gone, and their milliseconds until then. */
  ended: number;
  ended_after_ms: number;
  /** The greatest instant at which one of them was created or went idle. */
  last_ms: number;
}

/** The sessions of one namespace, source and group that were created in one hour or day. */
export interface SessionSumsRow extends SessionSums {
  /** `user`, `repository` or `automation`. */
  grouped_by: string;
  /** `hour` or `day`. */
  span: string;
  /** When the hour or day begins, in UTC. */
  begin_ms: number;
  namespace: string;
  source: string;
  /** User name, name of a Repository or UID of an Automation; empty where the sessions have none. */
  key: string;
}

/** What a number of pull requests add up to. */
export interface PullRequestSums {
  pull_requests: number;
  /** Those whose last known state is this. */
  draft: number;
  open: number;
  merged: number;
  closed: number;
  cost_micro: number;
  /** Milliseconds from creation to merge. */
  merged_after_ms: number;
}

/** The pull requests of one namespace, source and Repository that were created, or merged, in one hour or day. */
export interface PullRequestSumsRow extends PullRequestSums {
  /** `created` or `merged`. */
  counted_by: string;
  /** `hour` or `day`. */
  span: string;
  /** When the hour or day begins, in UTC. */
  begin_ms: number;
  namespace: string;
  /** Empty where it is not known. */
  source: string;
  /** Name of the Repository. */
  key: string;
}
