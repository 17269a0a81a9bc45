import { ConversationSpec } from "../conversation.ts";
import { PullRequestSpec } from "../pull-request.ts";
import { integrationTriggerTypes } from "../trigger.ts";
import { annotations, connectorLeaseName, labels } from "../names.ts";
import { eventWrites, itsIntegration, lease, leaseFields, named, runsOf } from "./records.ts";
import { allOf, free, holds, labelled, members, must, oneOwner, only } from "./rules.ts";
import type { Write, WriteScope } from "./write.ts";

function cancelOf(object: string): string {
  return `(has(${object}.spec.cancel) && ${object}.spec.cancel)`;
}

const requestedBy = must(members({ [annotations.requestedBy]: must(free) }));

/**
 * A compromised connector can ask for what Integrations allow, since the controller holds each Session against its Integration;
 * it names no command and no settings, can cancel what it asked for, and can ask for the pull requests that it opens. Of Automations it can fire those alone that events of Integrations fire.
 */
const kinds: readonly Write[] = [
  {
    name: "connector-conversations",
    operation: "CREATE",
    resource: "conversations",
    metadata: { ownerReferences: itsIntegration("connector") },
    fields: { spec: allOf(ConversationSpec) },
  },
  // The controller starts none of another type than the Automation's.
  runsOf("connector", integrationTriggerTypes),
  {
    name: "connector-sessions",
    operation: "CREATE",
    resource: "sessions",
    metadata: {
      labels: must(
        holds(
          labelled({ [labels.conversationUid]: "object.metadata.ownerReferences[0].uid" }),
          `the connector must set ${labels.conversationUid} as the one label of ours, to the owner's UID`,
        ),
      ),
      annotations: requestedBy,
      ownerReferences: oneOwner("Conversation", "the connector must set a Conversation as the one owner"),
    },
    fields: { spec: only("title", "target", "sandboxClassName", "serviceAccountName", "idleTimeoutSeconds") },
  },
  {
    name: "connector-prompts",
    operation: "CREATE",
    resource: "prompts",
    metadata: {
      labels: must(
        members({
          [labels.sessionUid]: must(
            holds((at) => `${at} == object.metadata.ownerReferences[0].uid`, "must be the owner's UID"),
          ),
          [labels.conversationUid]: free,
          [labels.pullRequestUid]: free,
        }),
      ),
      annotations: requestedBy,
      ownerReferences: oneOwner(
        "Session",
        "the connector must set the Session as the one owner",
        (reference) => `${reference}.name == object.spec.sessionRef.name`,
      ),
    },
    fields: { spec: only("sessionRef", "text", "images", "origin") },
    also: [
      {
        expression: `('${labels.conversationUid}' in object.metadata.labels) == !has(object.spec.origin) && ('${labels.pullRequestUid}' in object.metadata.labels) == has(object.spec.origin)`,
        message: `metadata.labels: the connector must set ${labels.conversationUid}, or ${labels.pullRequestUid} where spec.origin is set`,
      },
    ],
  },
  {
    name: "connector-prompt-changes",
    operation: "UPDATE",
    resource: "prompts",
    metadata: { annotations: only(annotations.pullRequestRequestedAt) },
    fields: { spec: only("cancel") },
    also: [
      {
        expression: `${cancelOf("object")} == ${cancelOf("oldObject")} || has(oldObject.metadata.labels) && '${labels.conversationUid}' in oldObject.metadata.labels`,
        message: "metadata.labels: the connector may cancel prompts of Conversations only",
      },
    ],
  },
  {
    name: "connector-pullrequests",
    operation: "CREATE",
    resource: "pullrequests",
    metadata: {
      ownerReferences: oneOwner(
        "Session",
        "the connector must set the Session of spec.sessionRef as the one owner",
        (reference) =>
          `${reference}.name == object.spec.sessionRef.name && ${reference}.uid == object.spec.sessionRef.uid`,
      ),
    },
    fields: { spec: allOf(PullRequestSpec) },
  },
  {
    name: "connector-integrations-status",
    operation: "UPDATE",
    resource: "integrations/status",
    fields: { status: only("connection", "github", "slack") },
  },
  ...["integrationevents", "conversations", "pullrequests"].map((plural): Write => ({
    name: `connector-${plural}-status`,
    operation: "UPDATE",
    resource: `${plural}/status`,
    fields: { status: free },
  })),
];

/** Limits a compromised connector. */
export function connectorWrites({ release }: WriteScope): Write[] {
  const leader = { ...lease, namespace: "release", fields: leaseFields } as const;
  const metadata = { name: named(connectorLeaseName(release.name)) };
  return [
    ...kinds,
    ...eventWrites("connector"),
    { ...leader, name: "connector-leases", operation: "CREATE", metadata },
    { ...leader, name: "connector-lease-changes", operation: "UPDATE", metadata },
  ];
}
