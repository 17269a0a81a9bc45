import {
  conditionTypes,
  type Environment,
  reasonMeanings,
  reasons,
  type Repository,
  type RepositoryStatus,
  type SandboxClass,
  type Settings,
  type Skill,
  type SkillStatus,
} from "../../api/v1alpha1/index.ts";
import { findCondition, type Mark, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { configMapsOf, judgeSkill } from "../../domain/skills/judge-skill.ts";
import { effectiveSettings } from "../../domain/settings/effective.ts";
import type { Secret } from "../../kube/core-resources.ts";
import { boundedMark } from "../bounded-settings.ts";
import { bundleRepository, secretRefsOf } from "../sandbox/bundle/bundle-repository.ts";
import type { GitHubConfig } from "../sandbox/bundle/github-app.ts";
import { defaultClassOf } from "../sandbox/default-class.ts";
import type { Refusal } from "../sandbox/refusal.ts";
import { readScope, sourceOf } from "../sandbox/secrets/scope-secret.ts";
import { sessionSecrets } from "../sandbox/secrets/merge.ts";
import { autofixMarks } from "./autofix-marks.ts";
import type { WriteStatus } from "./effects.ts";
import type { EnvironmentFacts, Referable, RepositoryFacts, SandboxClassFacts, SkillFacts } from "./facts.ts";
import { skillsMarks } from "./skills-marks.ts";

/** How often Secrets and ConfigMaps, which are not watched, are read again. */
const rereadMs = 60_000;

/** Whether an object can be used. */
interface Readiness {
  problem?: { reason: string; message: string } | undefined;
  /** Milliseconds until Secrets or ConfigMaps are read again; undefined where the object names none. */
  requeueMs?: number | undefined;
}

export interface ReadinessDecision<T extends Referable> extends Pick<Readiness, "requeueMs"> {
  effects: readonly WriteStatus<T>[];
}

export function decideRepository(
  { object, secrets, classes, skills, integrations }: RepositoryFacts,
  now: Date,
  { operator, github }: { operator: Settings; github: GitHubConfig },
): ReadinessDecision<Repository> {
  const readiness = judgeRepository(object, secrets, github);
  const { shown, bounded } = inheritedSettings(operator, classes, object);
  const warning = boundedMark(bounded);
  const target = { repositories: [object.metadata.name ?? ""] };
  const warnings = [
    ...(warning ? [warning] : []),
    ...skillsMarks(skills, target),
    ...autofixMarks(object, integrations),
  ];
  return decideStatus("Repository", object, { ...readiness, shown, warnings, now });
}

export function decideEnvironment(facts: EnvironmentFacts, now: Date): ReadinessDecision<Environment> {
  const { metadata, spec } = facts.object;
  const target = { repositories: spec.repositoryRefs.map(({ name }) => name), environment: metadata.name };
  const warnings = skillsMarks(facts.skills, target);
  return decideStatus("Environment", facts.object, { ...judgeEnvironment(facts), warnings, now });
}

/** A SandboxClass can always be used. */
export function decideSandboxClass(
  { object, networkProblem }: SandboxClassFacts,
  now: Date,
): ReadinessDecision<SandboxClass> {
  return decideStatus("SandboxClass", object, { warnings: rangesMarks(object, networkProblem), now });
}

/** A Skill can be used when its files are there and within the limits. */
export function decideSkill({ object, configMaps }: SkillFacts, now: Date): ReadinessDecision<Skill> {
  const judged = judgeSkill(object.metadata.name ?? "", object.spec, configMaps);
  const requeueMs = configMapsOf(object.spec).length > 0 ? rereadMs : undefined;
  if (!judged.ok) {
    const shown = { digest: undefined, bytes: undefined };
    return decideStatus("Skill", object, { problem: judged.problem, requeueMs, shown, now });
  }
  const { digest, bytes } = judged.revision;
  return decideStatus("Skill", object, { requeueMs, shown: { digest, bytes }, now });
}

/** Of classes that let sandboxes reach the internet. */
function rangesMarks({ spec }: SandboxClass, problem: string | undefined): Mark[] {
  if (problem === undefined || !spec.egress.internet) return [];
  const type = conditionTypes.clusterRangesUnknown;
  const { remedy } = reasonMeanings.ClusterRangesUnknown;
  return [{ type, status: "True", reason: reasons.clusterRangesUnknown, message: `${problem}. ${remedy}` }];
}

/** A Repository can be used when its Secrets exist and hold what a sandbox needs. */
export function judgeRepository(
  repository: Repository,
  secrets: RepositoryFacts["secrets"],
  github: GitHubConfig,
): Readiness {
  const entry = bundleRepository(repository, secrets, github);
  const namesSecret = repository.spec.secretRef ?? Object.values(secretRefsOf(repository)).some(Boolean);
  return {
    problem: entry.ok ? scopeRefusal("repository", repository, secrets.scope) : entry.refusal,
    requeueMs: namesSecret ? rereadMs : undefined,
  };
}

/** An Environment can be used when its Repositories exist and its own Secret holds what a sandbox needs. */
export function judgeEnvironment({
  object,
  missingRepositories: missing,
  secrets,
}: Omit<EnvironmentFacts, "skills">): Readiness {
  const requeueMs = object.spec.secretRef ? rereadMs : undefined;
  if (missing.length > 0) {
    const message = `There is no Repository ${missing.join(", ")}`;
    return { problem: { reason: reasons.repositoryNotFound, message }, requeueMs };
  }
  return { problem: scopeRefusal("environment", object, secrets.scope), requeueMs };
}

/** Why the Secret of an object's `secretRef` cannot be used. */
function scopeRefusal(
  kind: "repository" | "environment",
  { metadata: { name = "", namespace = "" }, spec: { secretRef } }: Repository | Environment,
  secret: Secret | undefined,
): Refusal | undefined {
  const [source] = sourceOf(kind, { name, secretRef });
  if (!source) return undefined;
  const read = readScope(source, secret, namespace);
  const judged = read.ok ? sessionSecrets([read.value]) : read;
  return judged.ok ? undefined : judged.refusal;
}

interface ShownSettings {
  shown: Pick<RepositoryStatus, "settings" | "settingOrigins">;
  /** Settings that were above what bounds them, a sentence each. */
  bounded: readonly string[];
}

interface Shown {
  shown?: ShownSettings["shown"] | Pick<SkillStatus, "digest" | "bytes">;
  warnings?: readonly Mark[];
}

/** The settings that a session of the default class on a Repository would have. */
export function inheritedSettings(
  operator: Settings,
  classes: readonly SandboxClass[],
  { metadata, spec }: Repository,
): ShownSettings {
  const own = { origin: `Repository/${metadata.name ?? ""}`, settings: spec.settings };
  const { settings, origins, bounded } = effectiveSettings(operator, defaultClassOf(classes), [own]);
  return { shown: { settings, settingOrigins: origins }, bounded };
}

function decideStatus<T extends Referable>(
  kind: string,
  object: T,
  { problem, requeueMs, shown, warnings = [], now }: Readiness & Shown & { now: Date },
): ReadinessDecision<T> {
  const { generation } = object.metadata;
  const old = object.status?.conditions;
  const ready = readyMark(kind, problem);
  const conditions = withMarks(withoutConditions(old, passedWarnings(warnings)), [...warnings, ready], {
    now,
    generation,
  });
  const status = { ...object.status, ...shown, observedGeneration: generation, conditions };
  return { effects: [{ object, status, events: readyEvents(findCondition(old, ready.type), ready) }], requeueMs };
}

/** Types of the warnings that there is no reason for any more. */
function passedWarnings(warnings: readonly Mark[]): string[] {
  const all: string[] = [
    conditionTypes.settingsBounded,
    conditionTypes.clusterRangesUnknown,
    conditionTypes.skillsTooLarge,
    conditionTypes.autofixSilent,
  ];
  return all.filter((type) => !warnings.some((warning) => warning.type === type));
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
