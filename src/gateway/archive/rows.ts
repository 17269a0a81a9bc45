import {
  annotations,
  group,
  labels,
  type Prompt,
  type PullRequest,
  reasons,
  Run,
  type Session,
  type SessionStatus,
} from "../../api/v1alpha1/index.ts";
import { parentReference } from "../../domain/children/parent.ts";
import { millionthsOf } from "../../domain/costs/amount.ts";
import { isSettled, succeededOf as endOf } from "../../domain/prompts/prompt-state.ts";
import { automationUidOf } from "../../domain/runs/automation-uid.ts";
import { acceptedAt, succeededOf } from "../../domain/runs/run-state.ts";
import { skippedBefore } from "../../domain/runs/skipped-run.ts";
import {
  instantOf,
  invocationState,
  knownInstant,
  nameOf,
  reasonsInWords,
  sessionState,
} from "../http/product-words.ts";
import type { PullRequestRow, RunRow, SessionRow } from "./schema/tables.ts";

/** A million US dollars: agents report costs, and sums of many must stay exact. */
const mostCostMicro = 1_000_000_000_000n;

/** What the archive keeps of a Run: no payload, no idempotency key. */
export function runRow(run: Run): RunRow {
  const { metadata, spec } = run;
  return {
    uid: metadata.uid ?? "",
    ...nameOf(run),
    copy_of: skippedBefore(run)?.uid ?? null,
    automation: spec.automationRef.name,
    automation_uid: automationUidOf(run) ?? null,
    trigger_type: spec.trigger.type,
    delivery_id: spec.trigger.deliveryID ?? null,
    requested_by: metadata.annotations?.[annotations.requestedBy] ?? null,
    created_ms: knownInstant(metadata.creationTimestamp),
    accepted_ms: knownInstant(acceptedAt(run)),
    ...verdictOf(run),
    ...progressOf(run),
    gone_ms: null,
  };
}

function verdictOf(run: Run): Pick<RunRow, "state" | "reason" | "message"> {
  const { skipReason, failureReason = null } = reasonsInWords(run);
  return {
    state: invocationState(run),
    reason: skipReason ?? failureReason,
    message: succeededOf(run)?.message ?? null,
  };
}

function progressOf({
  status = {},
}: Run): Pick<RunRow, "started_ms" | "ended_ms" | "summary" | "branch" | "commit_id" | "pushes"> {
  const { startTime, completionTime, result = {} } = status;
  return {
    started_ms: instantOf(startTime),
    ended_ms: instantOf(completionTime),
    summary: result.summary ?? null,
    branch: result.branch ?? null,
    commit_id: result.commit ?? null,
    pushes: result.pushes ? JSON.stringify(result.pushes) : null,
  };
}

/** What the archive keeps of a Session and, in sum, of its Prompts: no text of any. `run` is the one that made it, where that is known. */
export function sessionRow(session: Session, prompts: readonly Prompt[], run?: Run): SessionRow {
  const { metadata, spec, status = {} } = session;
  return {
    uid: metadata.uid ?? "",
    ...nameOf(session),
    title: spec.title ?? null,
    ...originOf(session, run),
    requested_by: requesterOf(prompts),
    repository: status.repositories?.[0] ?? spec.target.repositoryRefs?.[0]?.name ?? null,
    outcome: outcomeOf(prompts),
    cost_micro: costMicro(status.costUsd),
    created_ms: knownInstant(metadata.creationTimestamp),
    ...workOf(status),
    gone_ms: null,
  };
}

/** What the Session of a pull request tells of it. */
export interface ToldBySession {
  session: Session;
  /** Whether it is the session's first one, at which its cost counts, so that costs add up. */
  isFirst: boolean;
}

/** What the archive keeps of a PullRequest: no title, and no text of the agent's. */
export function pullRequestRow(pullRequest: PullRequest, told: ToldBySession | undefined): PullRequestRow {
  const { metadata, spec, status = {} } = pullRequest;
  const { githubState: state, number = null, mergeTime } = status;
  return {
    uid: metadata.uid ?? "",
    ...nameOf(pullRequest),
    session_uid: spec.sessionRef.uid,
    ...toldRow(told),
    repository: spec.repositoryRef.name,
    full_name: spec.repository,
    number,
    state: state?.toLowerCase() ?? null,
    created_ms: knownInstant(metadata.creationTimestamp),
    merged_ms: instantOf(mergeTime),
    gone_ms: null,
  };
}

/** What a pull request's row has of its Session; null where that told nothing. */
export function toldRow(told: ToldBySession | undefined): Pick<PullRequestRow, "source" | "cost_micro"> {
  if (!told) return { source: null, cost_micro: null };
  const { session, isFirst } = told;
  return { source: originOf(session).source, cost_micro: costMicro(isFirst ? session.status?.costUsd : "0") };
}

/** Whether no other pull request of the session was made before this one. */
export function isFirstOf(all: readonly PullRequest[], { metadata }: PullRequest): boolean {
  const placeOf = ({ creationTimestamp = "", name = "" }: PullRequest["metadata"]): string =>
    `${creationTimestamp} ${name}`;
  return !all.some((other) => other.metadata.uid !== metadata.uid && placeOf(other.metadata) < placeOf(metadata));
}

type Origin = Pick<SessionRow, "source" | "run_uid" | "automation_uid" | "parent_uid">;

/** The Run that made a Session: the controller makes it the Session's controlling owner; labels say nothing. */
export function runUidOf({ metadata }: Session): string | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, controller }) =>
      kind === Run.kind && apiVersion.startsWith(`${group}/`) && controller === true,
  )?.uid;
}

function originOf(session: Session, run?: Run): Origin {
  const runUid = runUidOf(session) ?? null;
  const noted = session.metadata.labels?.[labels.automationUid];
  const automationUid = (runUid === null ? undefined : run ? automationUidOf(run) : noted) ?? null;
  const parentUid = parentReference(session)?.uid ?? null;
  const source = runUid !== null ? "automation" : parentUid !== null ? "agent" : "person";
  return { source, run_uid: runUid, automation_uid: automationUid, parent_uid: parentUid };
}

function workOf(status: SessionStatus): Pick<SessionRow, "state" | "messages" | "idle_ms"> {
  const { queue = [], promptsEnded = 0, idleSince } = status;
  const state = sessionState(status);
  return { state, messages: promptsEnded + queue.length, idle_ms: state === "idle" ? instantOf(idleSince) : null };
}

function requesterOf(prompts: readonly Prompt[]): string | null {
  const first = prompts
    .filter(({ metadata }) => metadata.annotations?.[annotations.requestedBy] !== undefined)
    .sort((one, other) => createdMs(one) - createdMs(other))[0];
  return first?.metadata.annotations?.[annotations.requestedBy] ?? null;
}

/** Of the prompt that ended last. */
function outcomeOf(prompts: readonly Prompt[]): string | null {
  const last = prompts.filter(isSettled).sort((one, other) => endedMs(other) - endedMs(one))[0];
  if (!last) return null;
  const { status, reason } = endOf(last) ?? {};
  if (status === "True") return "completed";
  return reason === reasons.cancelled ? "cancelled" : "failed";
}

function createdMs({ metadata }: Prompt): number {
  return knownInstant(metadata.creationTimestamp);
}

function endedMs(prompt: Prompt): number {
  return instantOf(prompt.status?.completionTime) ?? createdMs(prompt);
}

function costMicro(costUsd: string | undefined): number {
  const micro = millionthsOf(costUsd ?? "0");
  return Number(micro < mostCostMicro ? micro : mostCostMicro);
}
