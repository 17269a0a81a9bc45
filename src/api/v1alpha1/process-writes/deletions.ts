import { finishedProgress } from "../conversation.ts";
import { group } from "../kind.ts";
import {
  conditionTypes,
  gatewayCaSecretName,
  gatewayTlsSecretName,
  integrationSecretName,
  keySecretName,
  labels,
  sandboxAccountName,
  sandboxComponent,
  secretsMacSecretName,
} from "../names.ts";
import { celList } from "../schema.ts";
import type { Deletion } from "./deletion.ts";
import { secret } from "./records.ts";
import type { Requirement } from "./validations.ts";

const rbac = { apiGroup: "rbac.authorization.k8s.io", version: "v1" } as const;
const core = { apiGroup: "", version: "v1" } as const;

/** CEL: whether a label has this value, or any. */
function hasLabel(name: string, value?: string): string {
  const isThere = `has(oldObject.metadata.labels) && '${name}' in oldObject.metadata.labels`;
  return value === undefined ? `(${isThere})` : `(${isThere} && oldObject.metadata.labels['${name}'] == '${value}')`;
}

/** CEL: whether an object of ours, of one of these kinds, owns what goes; none are named: of any kind. */
function isOwnedByOurs(...kinds: readonly string[]): string {
  const isKind = kinds.length === 0 ? "" : ` && owner.kind in ${celList(kinds)}`;
  return `(has(oldObject.metadata.ownerReferences) && oldObject.metadata.ownerReferences.exists(owner, owner.apiVersion.startsWith('${group}/')${isKind}))`;
}

function isNamedLike(...prefixes: readonly string[]): string {
  return prefixes.map((prefix) => `oldObject.metadata.name.startsWith('${prefix}')`).join(" || ");
}

/** CEL: whether a work's verdict is stored, which never changes again. */
const hasEnded = `(has(oldObject.status) && has(oldObject.status.conditions) && oldObject.status.conditions.exists(one, one.type == '${conditionTypes.succeeded}' && one.status != 'Unknown'))`;

const isOwnedByNobody = `(!has(oldObject.metadata.ownerReferences) || oldObject.metadata.ownerReferences.size() == 0)`;

const isOfSandboxes = hasLabel(labels.component, sandboxComponent);

/** What the namespace's sandboxes share, as the controller made it. */
function shared(isNamed: string, name: string): Requirement {
  return {
    expression: `${isNamed} && ${isOfSandboxes}`,
    message: `metadata: the controller may delete ${name} with the label ${labels.component}: ${sandboxComponent}`,
  };
}

const theAccount = shared(`oldObject.metadata.name == '${sandboxAccountName}'`, sandboxAccountName);
const kept = [gatewayCaSecretName, gatewayTlsSecretName, secretsMacSecretName];

/** Each says for what a Session was made; one that nothing owns was left behind. */
const madeForOthers = [labels.runUid, labels.parentUid, labels.conversationUid];

/** A compromised controller can end sandboxes and take history away; it can open no network and touch no key of the release. */
export const controllerDeletions: readonly Deletion[] = [
  {
    name: "controller-run-deletions",
    resource: "runs",
    // One at work goes with its Automation; what has not begun is skipped first.
    holds: {
      expression: `${hasEnded} || (has(oldObject.status) && has(oldObject.status.startTime))`,
      message: "status: the controller may delete Runs that have started or ended",
    },
  },
  {
    name: "controller-prompt-deletions",
    resource: "prompts",
    // A Session that was deleted without what it owns leaves its Prompts behind.
    holds: {
      expression: `${hasEnded} || (${hasLabel(labels.sessionUid)} && ${isOwnedByNobody})`,
      message: `status: the controller may delete Prompts that have ended, or that have the label ${labels.sessionUid} and no owner`,
    },
  },
  {
    name: "controller-session-deletions",
    resource: "sessions",
    holds: {
      expression: [isOwnedByOurs(), ...madeForOthers.map((label) => hasLabel(label))].join(" || "),
      message: `metadata: the controller may delete Sessions that an object of ${group} owns, or that have one of the labels ${madeForOthers.join(", ")}`,
    },
  },
  {
    name: "controller-prebuilt-image-deletions",
    resource: "prebuiltimages",
    holds: {
      expression: isOwnedByOurs("Repository", "Environment"),
      message: "metadata.ownerReferences: the controller may delete what a Repository or Environment owns",
    },
  },
  {
    ...core,
    name: "controller-pod-deletions",
    resource: "pods",
    holds: {
      expression: `${isOfSandboxes} || ${isOwnedByOurs()}`,
      message: "metadata: the controller may delete pods of sandboxes alone",
    },
  },
  {
    apiGroup: "networking.k8s.io",
    version: "v1",
    name: "controller-network-policy-deletions",
    resource: "networkpolicies",
    holds: shared(isNamedLike("runwright-sandbox"), "NetworkPolicies whose names begin with runwright-sandbox,"),
  },
  { ...core, name: "controller-account-deletions", resource: "serviceaccounts", holds: theAccount },
  { ...rbac, name: "controller-role-deletions", resource: "roles", holds: theAccount },
  { ...rbac, name: "controller-role-binding-deletions", resource: "rolebindings", holds: theAccount },
  {
    apiGroup: "snapshot.storage.k8s.io",
    version: "v1",
    name: "controller-volume-snapshot-deletions",
    resource: "volumesnapshots",
    holds: {
      expression: `${hasLabel(labels.sessionUid)} || ${hasLabel(labels.ownerUid)}`,
      message: `metadata.labels: the controller may delete snapshots of which ${labels.sessionUid} or ${labels.ownerUid} names the owner`,
    },
  },
  {
    ...secret,
    name: "controller-key-deletions",
    namespace: "keys",
    holds: {
      expression: isNamedLike(keySecretName(""), integrationSecretName("")),
      message: `metadata.name: must begin with ${keySecretName("")} or ${integrationSecretName("")}`,
    },
  },
  {
    ...secret,
    name: "controller-token-deletions",
    namespace: "tokens",
    holds: {
      expression: isNamedLike(integrationSecretName("")),
      message: `metadata.name: must begin with ${integrationSecretName("")}`,
    },
  },
  {
    ...secret,
    name: "controller-secret-deletions",
    namespace: "sessions",
    holds: {
      expression: `!(oldObject.metadata.name in ${celList(kept)})`,
      message: `metadata.name: the controller may not delete ${kept.join(", ")}`,
    },
  },
];

/** A compromised connector can have events of Integrations forgotten. */
export const connectorDeletions: readonly Deletion[] = [
  {
    name: "connector-integration-event-deletions",
    resource: "integrationevents",
    holds: {
      expression:
        "(has(oldObject.status) && has(oldObject.status.settledTime)) || (has(oldObject.spec.slack) && oldObject.spec.slack.action == 'HomeOpened')",
      message:
        "status.settledTime: the connector may delete events that it has handled, and those of a Home tab that was opened",
    },
  },
  {
    name: "connector-conversation-deletions",
    resource: "conversations",
    // How long it is kept after that no policy can ask: it does not know the time.
    holds: {
      expression: `!has(oldObject.status) || !has(oldObject.status.posts) || oldObject.status.posts.all(post, post.progress in ${celList(finishedProgress)})`,
      message: `status.posts: the connector may delete Conversations whose posts are all ${finishedProgress.join(", ")}`,
    },
  },
];
