import {
  conditionTypes,
  type Environment,
  reasons,
  type Repository,
  type SandboxClass,
  type Settings,
} from "../../api/v1alpha1/index.ts";
import { findCondition, type Mark, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { boundedMark } from "../bounded-settings.ts";
import type { GitHubConfig } from "../sandbox/bundle/github-app.ts";
import { inheritedSettings } from "./decide/inherited-settings.ts";
import { judgeEnvironment, judgeRepository, type Readiness } from "./decide/readiness.ts";
import type { WriteStatus } from "./effects.ts";
import type { EnvironmentFacts, Referable, RepositoryFacts, SandboxClassFacts } from "./facts.ts";

export interface ReadinessDecision<T extends Referable> {
  effects: readonly WriteStatus<T>[];
  /** Milliseconds until Secrets, which are not watched, are read again. */
  requeueMs?: number | undefined;
}

export interface ScopeSettings {
  /** The operator's settings for all sessions. */
  operator: Settings;
  github: GitHubConfig;
}

export function decideRepository(
  { object, secrets, classes }: RepositoryFacts,
  now: Date,
  { operator, github }: ScopeSettings,
): ReadinessDecision<Repository> {
  const readiness = judgeRepository(object, secrets, github);
  return decideStatus("Repository", object, { ...readiness, ...inheritedSettings(operator, classes, object), now });
}

export function decideEnvironment(facts: EnvironmentFacts, now: Date): ReadinessDecision<Environment> {
  return decideStatus("Environment", facts.object, { ...judgeEnvironment(facts), now });
}

/** A SandboxClass can always be used. */
export function decideSandboxClass({ object }: SandboxClassFacts, now: Date): ReadinessDecision<SandboxClass> {
  return decideStatus("SandboxClass", object, { problem: undefined, now });
}

interface Inputs extends Readiness {
  now: Date;
  /** Other fields of the status. */
  shown?: object | undefined;
  /** Settings that were above what bounds them, a sentence each. */
  bounded?: readonly string[] | undefined;
}

function decideStatus<T extends Referable>(
  kind: string,
  object: T,
  { problem, requeueMs, shown, bounded = [], now }: Inputs,
): ReadinessDecision<T> {
  const { generation } = object.metadata;
  const old = object.status?.conditions;
  const ready = readyMark(kind, problem);
  const warning = boundedMark(bounded);
  const kept = warning ? old : withoutConditions(old, [conditionTypes.settingsBounded]);
  const conditions = withMarks(kept, warning ? [warning, ready] : [ready], { now, generation });
  const status = { ...object.status, ...shown, observedGeneration: generation, conditions };
  return { effects: [{ object, status, events: readyEvents(findCondition(old, ready.type), ready) }], requeueMs };
}

/** That an object is ready from the start needs no event. */
function readyEvents(old: Mark | undefined, { status, reason, message }: Mark): WriteStatus<Referable>["events"] {
  const isReady = status === "True";
  if (old?.reason === reason || (!old && isReady)) return [];
  return [{ type: isReady ? "Normal" : "Warning", reason, note: message }];
}

function readyMark(kind: string, problem: Readiness["problem"]): Mark {
  const type = conditionTypes.ready;
  if (problem) return { type, status: "False", reason: problem.reason, message: problem.message };
  return { type, status: "True", reason: reasons.ready, message: `The ${kind} can be used` };
}
