import type { PullRequestRow, RunRow, SessionRow } from "../../src/gateway/archive/schema/tables.ts";

/** 2026-03-31T12:00:00Z. */
export const nowMs = Date.parse("2026-03-31T12:00:00Z");

/** A webhook's Run that has started. */
export function aRunRow(uid: string, parts: Partial<RunRow> = {}): RunRow {
  return {
    uid,
    namespace: "team",
    name: uid,
    copy_of: null,
    automation: "fix",
    automation_uid: "automation-1",
    trigger_type: "Webhook",
    state: "running",
    reason: null,
    message: null,
    delivery_id: null,
    requested_by: null,
    created_ms: nowMs,
    accepted_ms: nowMs,
    started_ms: nowMs,
    ended_ms: null,
    summary: null,
    branch: null,
    commit_id: null,
    pushes: null,
    gone_ms: null,
    ...parts,
  };
}

/** The same as the first schema had it, which no type says any more. */
export function firstRunRow(uid: string, parts: Partial<RunRow> = {}): Omit<RunRow, "pushes"> {
  const row: Partial<RunRow> = aRunRow(uid, parts);
  delete row.pushes;
  return row as Omit<RunRow, "pushes">;
}

/** A person's session that has done nothing yet. */
export function aSessionRow(uid: string, parts: Partial<SessionRow> = {}): SessionRow {
  return {
    uid,
    namespace: "team",
    name: uid,
    title: null,
    source: "person",
    run_uid: null,
    automation_uid: null,
    parent_uid: null,
    requested_by: null,
    repository: null,
    state: "created",
    outcome: null,
    messages: 0,
    cost_micro: 0,
    created_ms: nowMs,
    idle_ms: null,
    gone_ms: null,
    ...parts,
  };
}

/** An open pull request of a person's session. */
export function aPullRequestRow(uid: string, parts: Partial<PullRequestRow> = {}): PullRequestRow {
  return {
    uid,
    namespace: "team",
    name: uid,
    session_uid: `session-of-${uid}`,
    source: "person",
    repository: "api",
    full_name: "acme/api",
    number: 1,
    state: "open",
    cost_micro: 0,
    created_ms: nowMs,
    merged_ms: null,
    gone_ms: null,
    ...parts,
  };
}
