import {
  conditionTypes,
  githubCredentialKeys,
  Integration,
  type IntegrationStatus,
  linearCredentialKeys,
  type Reason,
  reasonMeanings,
  reasons,
  signingSecretDataKeys,
  slackCredentialKeys,
} from "../../api/v1alpha1/index.ts";
import { findCondition, type Mark, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { integrationPath } from "../../domain/integrations/path.ts";
import { silentAutofix } from "./silent-autofix.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { EventFacts } from "../../kube/event-recorder.ts";
import { lackingScopes } from "./lacking-scopes.ts";
import type { CopiedSecret, IntegrationFacts, Places } from "./facts.ts";
import { isSameCopy, makeCopy, textOf } from "./resources.ts";

/** One write, and the Events that are recorded once it succeeded. */
export type IntegrationEffect =
  | { kind: "createCopy"; secret: Secret }
  | { kind: "replaceCopy"; existing: Secret; secret: Secret }
  | { kind: "deleteCopy"; existing: Secret }
  | { kind: "writeStatus"; status: IntegrationStatus; events: readonly Omit<EventFacts, "regarding">[] };

export interface IntegrationDecision {
  effects: readonly IntegrationEffect[];
  /** Milliseconds after which the Secrets, which are not watched, are read again. */
  requeueMs: number;
}

interface Problem {
  reason: Reason;
  message: string;
}

const rereadMs = 60_000;
/** While something is missing, a person is probably at work on it. */
const soonMs = 10_000;

const signingKeys = Object.values(signingSecretDataKeys);
const credentialKeys = {
  GitHub: Object.values(githubCredentialKeys),
  Linear: Object.values(linearCredentialKeys),
  Slack: Object.values(slackCredentialKeys),
} satisfies Record<Integration["spec"]["type"], readonly string[]>;

/** Keeps the copies of an Integration's Secrets like their sources, and says whether it can be used. */
export function decideIntegration(facts: IntegrationFacts, now: Date, places: Places): IntegrationDecision {
  const { integration, signing, credentials } = facts;
  const { signingSecretRef, credentialsSecretRef, type } = integration.spec;
  const keys = credentialKeys[type];
  const missing =
    secretProblem(integration, signing, { name: signingSecretRef.name, keys: [signingSecretDataKeys.current] }) ??
    secretProblem(integration, credentials, { name: credentialsSecretRef.name, keys });
  const effects = [
    ...copyEffects(integration, signing, { namespace: places.keysNamespace, keys: signingKeys }),
    ...copyEffects(integration, credentials, { namespace: places.tokensNamespace, keys }),
  ];
  const invalid = specProblem(integration);
  const problem = invalid ?? missing ?? connectionProblem(integration);
  const warnings = invalid ? {} : warningsOf(facts);
  const status = statusWith(integration, { problem, warnings }, now);
  return { effects: [...effects, status], requeueMs: missing ? soonMs : rereadMs };
}

/** An Integration of a release without a connector: nothing is copied. */
export function decideWithoutConnector(integration: Integration, now: Date): IntegrationDecision {
  const { means, remedy } = reasonMeanings.ConnectorDisabled;
  const problem = { reason: reasons.connectorDisabled, message: `${means} ${remedy}` };
  return { effects: [statusWith(integration, { problem, warnings: {} }, now)], requeueMs: rereadMs };
}

function secretProblem(
  { metadata: { namespace = "" } }: Integration,
  { source }: CopiedSecret,
  { name, keys }: { name: string; keys: readonly string[] },
): Problem | undefined {
  if (!source) return { reason: reasons.secretNotFound, message: `There is no Secret ${namespace}/${name}` };
  const empty = keys.filter((key) => textOf(source, key) === undefined);
  if (empty.length === 0) return undefined;
  return { reason: reasons.invalidSecret, message: `Secret ${namespace}/${name} lacks ${empty.join(" and ")}` };
}

/** A Secret that was withdrawn is withdrawn from where it is used, too. */
function copyEffects(
  integration: Integration,
  { source, copy }: CopiedSecret,
  where: { namespace: string; keys: readonly string[] },
): IntegrationEffect[] {
  if (!source) return copy ? [{ kind: "deleteCopy", existing: copy }] : [];
  const secret = makeCopy(integration, source, where);
  if (!copy) return [{ kind: "createCopy", secret }];
  return isSameCopy(copy, secret) ? [] : [{ kind: "replaceCopy", existing: copy, secret }];
}

/** What an earlier version stored and this one cannot read. */
function specProblem({ spec }: Integration): Problem | undefined {
  const [issue] = Integration.schema.shape.spec.safeParse(spec).error?.issues ?? [];
  return issue && { reason: reasons.invalidSpec, message: `${["spec", ...issue.path].join(".")}: ${issue.message}` };
}

const shownFindings = ["AuthorizationNeeded", "CredentialsRefused", "ProviderUnavailable"] as const;

/** What the connector found out; that the provider wants fewer calls passes by itself. */
function connectionProblem({ status }: Integration): Problem | undefined {
  const { message } = status?.connection ?? {};
  const reason = shownFindings.find((one) => one === status?.connection?.reason);
  if (!reason) return undefined;
  return { reason, message: `${message ?? ""}. ${reasonMeanings[reason].remedy}` };
}

/** By the types of their conditions; what is left out is none. */
type Warnings = Partial<Record<(typeof warningTypes)[number], Problem>>;

const warningTypes = [conditionTypes.autofixSilent, conditionTypes.scopesMissing] as const;

function warningsOf({ integration, repositories }: IntegrationFacts): Warnings {
  const silent = silentAutofix(integration, repositories);
  const lacking = lackingScopes(integration);
  return { ...(silent && { AutofixSilent: silent }), ...(lacking && { ScopesMissing: lacking }) };
}

function statusWith(
  integration: Integration,
  { problem, warnings }: { problem: Problem | undefined; warnings: Warnings },
  now: Date,
): IntegrationEffect {
  const { generation, namespace = "", name = "" } = integration.metadata;
  const type = conditionTypes.ready;
  const mark: Mark = problem
    ? { type, status: "False", reason: problem.reason, message: problem.message }
    : { type, status: "True", reason: reasons.ready, message: "Events are taken, and the provider is called" };
  const old = integration.status?.conditions;
  const warned = warningTypes.flatMap((of): Mark[] => {
    const warning = warnings[of];
    return warning ? [{ type: of, status: "True", ...warning }] : [];
  });
  const passed = warningTypes.filter((of) => !warnings[of]);
  const status: IntegrationStatus = {
    ...integration.status,
    observedGeneration: generation,
    conditions: withMarks(withoutConditions(old, passed), [mark, ...warned], { now, generation }),
    path: integrationPath({ namespace, name }, integration.spec.type),
  };
  const newly = warned.filter((warning) => findCondition(old, warning.type)?.reason !== warning.reason);
  const told = newly.map(({ reason, message }) => ({ type: "Warning", reason, note: message }) as const);
  return { kind: "writeStatus", status, events: [...eventsOf(findCondition(old, type), mark), ...told] };
}

/** That an Integration is ready from the start needs no event. */
function eventsOf(old: Mark | undefined, { status, reason, message }: Mark): Omit<EventFacts, "regarding">[] {
  const isReady = status === "True";
  if (old?.reason === reason || (!old && isReady)) return [];
  return [{ type: isReady ? "Normal" : "Warning", reason, note: message }];
}
