import { gatewayLeaseLabels, gatewayLeaseName } from "../../runtime/pod-contract.ts";
import {
  annotations,
  archiveLeaseName,
  attemptNotes,
  keyHashDataKey,
  keySecretName,
  labels,
  replicaNotes,
  signingSecretDataKeys,
} from "../names.ts";
import { PromptStatus } from "../prompt.ts";
import { eventWrites, isOfAutomation, lease, leaseFields, namedLike, secret } from "./records.ts";
import { allOf, free, holds, labelled, members, must, oneCoreOwner, oneOf, oneOwner, only } from "./rules.ts";
import type { Write, WriteScope } from "./write.ts";

const aSession = oneOwner("Session", "the gateway must set a Session as the one owner");
const itsSession = oneOwner(
  "Session",
  "the gateway must set the Session as the one owner",
  (reference) => `${reference}.name == object.spec.sessionRef.name`,
);

/** A compromised pod can pause and resume automations, fire them by hand, prompt and cancel under any user's name, and ask for children and pull requests. */
const kinds: readonly Write[] = [
  {
    name: "gateway-automations",
    operation: "UPDATE",
    resource: "automations",
    metadata: { annotations: only(annotations.resumeRequestedAt) },
    fields: { spec: only("suspend") },
  },
  {
    name: "gateway-runs",
    operation: "CREATE",
    resource: "runs",
    metadata: {
      labels: holds(
        isOfAutomation,
        `the gateway may set ${labels.automationUid} and ${labels.automationName} as in spec.automationRef, and nothing else of ours`,
      ),
      annotations: must(members({ [annotations.requestedBy]: must(free), [annotations.whilePaused]: free })),
    },
    fields: {
      spec: members({ automationRef: only("name", "uid"), trigger: members({ type: oneOf("Manual"), time: free }) }),
    },
  },
  {
    name: "gateway-prompts",
    operation: "CREATE",
    resource: "prompts",
    metadata: {
      labels: members({
        [labels.sessionUid]: holds(
          (at) => `${at} == object.metadata.ownerReferences[0].uid`,
          "must be the owner's UID",
        ),
      }),
      annotations: must(members({ [annotations.requestedBy]: must(free) })),
      ownerReferences: itsSession,
    },
    fields: { spec: only("sessionRef", "text", "images", "cancel") },
  },
  {
    name: "gateway-prompt-changes",
    operation: "UPDATE",
    resource: "prompts",
    metadata: { annotations: only(annotations.pullRequestRequestedAt) },
    fields: { spec: only("cancel") },
  },
  {
    name: "gateway-prompt-ends",
    operation: "UPDATE",
    resource: "prompts/status",
    fields: { status: allOf(PromptStatus) },
  },
  {
    name: "gateway-sessions",
    operation: "CREATE",
    resource: "sessions",
    metadata: {
      labels: must(
        holds(
          labelled({ [labels.parentUid]: "object.metadata.ownerReferences[0].uid" }),
          `the gateway must set ${labels.parentUid} as the one label of ours, to the owner's UID`,
        ),
      ),
      ownerReferences: aSession,
    },
    // The controller refuses a child that differs from its parent in more than the first.
    fields: {
      spec: only(
        "title",
        "target",
        "sandboxClassName",
        "agent",
        "settings",
        "serviceAccountName",
        "idleTimeoutSeconds",
      ),
    },
  },
];

const notesOfAttempt = only(...Object.values(attemptNotes));
const attemptLease = { ...lease, namespace: "sessions" } as const;
const ownerNames = [
  labels.sessionUid,
  labels.sessionName,
  labels.sessionNamespace,
  labels.ownerKind,
  labels.ownerUid,
  labels.ownerName,
  labels.ownerNamespace,
];

/** A compromised pod can say anything of any sandbox, and cannot take the controller's leadership. */
function leaseWrites({ release }: WriteScope): Write[] {
  const ownLease = { ...lease, namespace: "release", fields: leaseFields } as const;
  const isArchives = holds(
    (at) => `${at} == '${archiveLeaseName(release.name)}' || ${at}.startsWith('${gatewayLeaseName("")}')`,
    `must be ${archiveLeaseName(release.name)} or begin with ${gatewayLeaseName("")}`,
  );
  const notes = only(...Object.values(replicaNotes));
  return [
    {
      ...attemptLease,
      name: "gateway-attempts",
      operation: "CREATE",
      metadata: {
        labels: only(...ownerNames),
        annotations: notesOfAttempt,
        ownerReferences: must(oneCoreOwner("Secret")),
      },
      fields: leaseFields,
    },
    {
      ...attemptLease,
      name: "gateway-attempt-changes",
      operation: "UPDATE",
      metadata: { annotations: notesOfAttempt },
      fields: leaseFields,
    },
    {
      ...ownLease,
      name: "gateway-leases",
      operation: "CREATE",
      metadata: {
        name: isArchives,
        labels: only(...Object.keys(gatewayLeaseLabels), labels.release),
        annotations: notes,
        ownerReferences: oneCoreOwner("Pod"),
      },
    },
    {
      ...ownLease,
      name: "gateway-lease-changes",
      operation: "UPDATE",
      metadata: { name: isArchives, annotations: notes },
    },
  ];
}

const keySecret = { ...secret, namespace: "keys" } as const;
const keyData = only(keyHashDataKey, ...Object.values(signingSecretDataKeys));
const keyLabels = only(labels.automationUid, labels.automationNamespace);

/** A compromised pod can make keys of its own, and no token of a ServiceAccount. */
const keyWrites: readonly Write[] = [
  {
    ...keySecret,
    name: "gateway-keys",
    operation: "CREATE",
    metadata: { name: namedLike(keySecretName("")), labels: keyLabels, annotations: only(annotations.keyHint) },
    fields: { type: must(oneOf("Opaque")), data: keyData },
  },
  {
    ...keySecret,
    name: "gateway-key-changes",
    operation: "UPDATE",
    metadata: {
      name: namedLike(keySecretName("")),
      labels: keyLabels,
      annotations: only(annotations.keyHint, annotations.copiedFrom),
    },
    fields: { data: keyData },
  },
];

/** Limits a compromised pod of the gateway to what people and runtimes could have asked it for. */
export function gatewayWrites(scope: WriteScope): Write[] {
  return [...kinds, ...eventWrites("gateway"), ...leaseWrites(scope), ...keyWrites];
}
