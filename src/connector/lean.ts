import {
  annotations,
  type Automation,
  conditionTypes,
  type Environment,
  type GitHubEvent,
  type IntegrationEvent,
  labels,
  type Prompt,
  reasons,
  type Repository,
  type Result,
  type Session,
  triggeringIntegrationName,
} from "../api/v1alpha1/index.ts";
import { findCondition } from "../domain/conditions.ts";
import { keepOwnMetadata } from "../domain/own-metadata.ts";
import { isSettled } from "../domain/prompts/prompt-state.ts";
import { firstCharacters } from "../lib/characters.ts";
import type { KubeObject } from "../lib/resource.ts";

// Transforms of caches: what they leave out is never read from a cache. Tens of thousands of these objects are done with.

/** Characters of an agent's last answer that a follow-up may quote. */
const quotedCharacters = 500;

/** Characters of a request for a pull request, which is a time. */
const requestCharacters = 65;

/** An event that is settled is kept for 7 days; then it is a name, and where its person was asked, a request without its text. */
export function leanEvent(event: IntegrationEvent): IntegrationEvent {
  const { metadata, spec, status } = event;
  if (status?.settledTime === undefined) return keepOwnMetadata(event);
  const { reason } = findCondition(status.conditions, conditionTypes.succeeded) ?? {};
  if (reason !== reasons.targetUnknown) return doneEvent(event);
  delete spec.linear?.text;
  delete spec.slack?.text;
  delete spec.slack?.forwarded;
  delete spec.slack?.files;
  const { settledTime, conditions } = status;
  return { metadata: identityOf(metadata), spec, status: { settledTime, conditions } };
}

function doneEvent({ metadata, spec, status }: IntegrationEvent): IntegrationEvent {
  const { integrationRef, github, linear, slack } = spec;
  const kept = {
    integrationRef,
    ...(github && { github: withoutOccurrence(github) }),
    ...(linear && {
      linear: { action: linear.action, agentSessionID: linear.agentSessionID, issueID: linear.issueID },
    }),
    ...(slack && { slack: { action: slack.action, channelID: slack.channelID, threadTS: slack.threadTS } }),
  } as IntegrationEvent["spec"];
  return { metadata: identityOf(metadata), spec: kept, status: { settledTime: status?.settledTime } };
}

function withoutOccurrence({ occurrence: _, ...github }: GitHubEvent): GitHubEvent {
  return github;
}

/** Of Automations that no event of an Integration fires, that they are there. */
export function leanAutomation(automation: Automation): Automation {
  const { metadata, spec, status } = automation;
  const { trigger, suspend, targets } = spec;
  if (triggeringIntegrationName(trigger) === undefined)
    return { metadata: identityOf(metadata), spec: { trigger: { type: trigger.type } } } as Automation;
  const { activeRuns, lastRun, consecutiveFailures, resumeHandledAt, conditions } = status ?? {};
  return {
    metadata: keepOwnMetadata({ metadata }).metadata,
    spec: { trigger, suspend, targets },
    status: { activeRuns, lastRun, consecutiveFailures, resumeHandledAt, conditions },
  } as Automation;
}

export function leanSession({ metadata, status }: Session): Session {
  const { currentPrompt, sandbox } = status ?? {};
  return {
    metadata: childMetadata(metadata),
    spec: {},
    status: {
      ...(currentPrompt && { currentPrompt }),
      ...(sandbox && { sandbox: { readyTime: sandbox.readyTime } }),
    },
  } as Session;
}

export function leanPrompt(prompt: Prompt): Prompt {
  const { metadata, spec, status } = prompt;
  const { startTime, completionTime, result, pullRequest, conditions } = status ?? {};
  const succeeded = isSettled(prompt) ? findCondition(conditions, conditionTypes.succeeded) : undefined;
  const requested = metadata.annotations?.[annotations.pullRequestRequestedAt];
  return {
    metadata: {
      ...childMetadata(metadata),
      ...(requested !== undefined && {
        annotations: { [annotations.pullRequestRequestedAt]: firstCharacters(requested, requestCharacters) },
      }),
    },
    spec: { sessionRef: spec.sessionRef, text: "" },
    status: {
      ...(startTime !== undefined && { startTime }),
      ...(completionTime !== undefined && { completionTime }),
      ...(result && { result: leanResult(result, isOfEvent(prompt)) }),
      // That it is there; who makes a PullRequest reads the Prompt.
      ...(pullRequest && { pullRequest: { title: "", body: "" } }),
      ...(succeeded && { conditions: [{ ...succeeded, message: "" }] }),
    },
  };
}

/** Of prompts that no event led to, the branch alone is of use. */
function leanResult({ summary, branch }: Result, hasText: boolean): Result {
  return {
    ...(hasText && summary !== undefined && { summary: firstCharacters(summary, quotedCharacters) }),
    ...(branch !== undefined && { branch }),
  };
}

function isOfEvent({ metadata }: Prompt): boolean {
  return metadata.labels?.[labels.conversationUid] !== undefined;
}

export function leanRepository(repository: Repository): Repository {
  delete repository.status;
  delete repository.spec.settings;
  return keepOwnMetadata(repository);
}

export function leanEnvironment(environment: Environment): Environment {
  delete environment.status;
  delete environment.spec.settings;
  return keepOwnMetadata(environment);
}

function identityOf({ name, namespace, uid, resourceVersion, deletionTimestamp }: KubeObject["metadata"]) {
  return { name, namespace, uid, resourceVersion, ...(deletionTimestamp !== undefined && { deletionTimestamp }) };
}

const ownerLabels: readonly string[] = [labels.conversationUid, labels.pullRequestUid];

/** Of what a conversation or a pull request led to. */
function childMetadata(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  const kept = Object.entries(metadata.labels ?? {}).filter(([name]) => ownerLabels.includes(name));
  const [owner] =
    keepOwnMetadata({ metadata: { ownerReferences: metadata.ownerReferences?.slice(0, 1) } }).metadata
      .ownerReferences ?? [];
  return {
    ...identityOf(metadata),
    ...(kept.length > 0 && { labels: Object.fromEntries(kept) }),
    ...(owner && { ownerReferences: [owner] }),
  };
}
