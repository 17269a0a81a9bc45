import {
  type Automation,
  conditionTypes,
  type Prompt,
  reasons,
  type Run,
  type Session,
  type Settings,
} from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import type { SessionOutcome } from "./verdict.ts";

/** Everything that was observed for one Run, by how far the Run has come. */
export type RunFacts =
  ({ phase: "start" } & StartFacts) | ({ phase: "follow" } & FollowFacts) | ({ phase: "after" } & AfterFacts);

/** A Run that has not started. Run and Automation are read from the API server. */
export interface StartFacts {
  run: Run;
  automation: Automation | undefined;
  /** All Runs of the automation. */
  runs: readonly Run[];
  /** Name of another active Run of the automation. */
  otherActive: string | undefined;
  /** Sessions of this Run that an earlier attempt made. */
  leftSessions: readonly Session[];
  /** Settings of the automation's targets, in their order. */
  targetSettings: readonly (Settings | undefined)[];
  /** How long the Run may be Pending; undefined: until it starts. */
  pendingLimit: PendingLimit | undefined;
}

/** `maxPendingSeconds` of a SandboxClass. */
export interface PendingLimit {
  className: string;
  seconds: number;
}

/** A Run that was started and has not ended. */
export interface FollowFacts {
  run: Run;
  /** Undefined when it was deleted or replaced by another of the same name. */
  automation: Automation | undefined;
  /** All Runs of the automation. */
  runs: readonly Run[];
  children: readonly Child[];
}

/** A Run that has ended. */
export interface AfterFacts {
  run: Run;
  /** The automation was deleted or replaced by another of the same name. */
  isAutomationGone: boolean;
  /** Whether the archive has it and all that goes with it, or there is no archive. */
  isStored: boolean;
  /** It was skipped in line for a place, and its sessions have other prompts. */
  isBusy?: boolean;
  /** First prompts of its sessions, as far as they still exist. */
  prompts: readonly Prompt[];
}

/** One session that the Run started. */
export interface Child {
  name: string;
  /** Undefined when the API server has none of this name that belongs to the Run. */
  session: Session | undefined;
  /** The first prompt; undefined when the API server has none. */
  prompt: Prompt | undefined;
  /** How long the session may wait for a place in its class; undefined: until it has one. */
  pendingLimit?: PendingLimit | undefined;
}

/**
 * Whether a first prompt is missing that only an earlier generation of the automation could give: the controller ended
 * between the Run's start and the prompt, and the automation has changed since.
 */
export function isOutdated({ run, automation, children }: Omit<FollowFacts, "runs">): boolean {
  return automation?.metadata.generation !== run.status?.automationGeneration && children.some(needsPrompt);
}

/** Whether the controller ended between the Run's start and this session's first prompt. */
export function needsPrompt({ session, prompt }: Child): boolean {
  return prompt === undefined && session !== undefined && !hasWorked(session);
}

function hasWorked({ status, metadata }: Session): boolean {
  const isUsed =
    status?.sandbox !== undefined || status?.currentPrompt !== undefined || (status?.promptsEnded ?? 0) > 0;
  return isUsed || metadata.deletionTimestamp !== undefined;
}

/** The outcome of each child, in their order. */
export function outcomesOf(facts: Omit<FollowFacts, "runs">): SessionOutcome[] {
  const withoutPrompt = isOutdated(facts) ? outdated : going;
  return facts.children.map((child) => (needsPrompt(child) ? withoutPrompt(child.name) : outcomeOf(child)));
}

function outcomeOf({ name, session, prompt }: Child): SessionOutcome {
  if (!session || session.metadata.deletionTimestamp !== undefined) return deleted(name, `Session ${name} was deleted`);
  if (!prompt) return deleted(name, `The first Prompt of Session ${name} was deleted`);
  const succeeded = findCondition(prompt.status?.conditions, conditionTypes.succeeded);
  if (!succeeded || succeeded.status === "Unknown") return going(name);
  const state = succeeded.status === "True" ? "completed" : "failed";
  return { session: name, state, reason: succeeded.reason, message: succeeded.message, result: prompt.status?.result };
}

function going(session: string): SessionOutcome {
  return { session, state: "going", reason: reasons.running, message: "" };
}

function outdated(session: string): SessionOutcome {
  const message = "The Automation was changed before the first prompt, while no controller ran";
  return { session, state: "failed", reason: reasons.automationChanged, message };
}

function deleted(session: string, message: string): SessionOutcome {
  return { session, state: "failed", reason: reasons.cancelled, message };
}
