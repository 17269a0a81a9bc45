import { group } from "./kind.ts";
import { annotations, labels } from "./names.ts";
import type { PolicyScope, PolicySource } from "./policy-source.ts";
import { celList } from "./schema.ts";
import { deliveryTypes } from "./trigger.ts";

type Process = "gateway" | "ingress";

/** What one of our own processes may write; each validation is a limit. */
interface Limit extends Pick<PolicySource, "name" | "operations" | "variables"> {
  resource: string;
  validations: readonly { expression: string; message: string }[];
}

/** CEL: whether both maps are equal except for the key `free`; `dyn` lets CEL read an object as a map. */
function sameBut(now: string, before: string, free: string): string {
  return (
    `${now}.all(key, key == '${free}' || (key in ${before} && ${now}[key] == ${before}[key])) && ` +
    `${before}.all(key, key == '${free}' || key in ${now})`
  );
}

/** CEL: whether none of these parts of the metadata has changed. */
function unchanged(...fields: string[]): string {
  const isUnchanged = (field: string): string =>
    `has(object.metadata.${field}) == has(oldObject.metadata.${field}) && ` +
    `(!has(object.metadata.${field}) || object.metadata.${field} == oldObject.metadata.${field})`;
  return fields.map(isUnchanged).join(" && ");
}

const annotationsOf = (object: string): string =>
  `has(${object}.metadata.annotations) ? dyn(${object}.metadata.annotations) : dyn({})`;

const owner = "object.metadata.ownerReferences[0]";

/** CEL: whether the one owner is of that kind of ours; another API group may have a kind of the same name. */
function hasOneOwner(kind: string): string {
  return (
    "has(object.metadata.ownerReferences) && size(object.metadata.ownerReferences) == 1 && " +
    `${owner}.kind == '${kind}' && ${owner}.apiVersion.startsWith('${group}/')`
  );
}

const hasNoFinalizers = "!has(object.metadata.finalizers)";
const hasNoOwner = `!has(object.metadata.ownerReferences) && ${hasNoFinalizers}`;

const limits: Readonly<Record<Process, readonly Limit[]>> = {
  ingress: [
    // Limits a compromised pod to Runs that a sender could have started.
    {
      name: "ingress-runs",
      operations: ["CREATE"],
      resource: "runs",
      validations: [
        {
          expression: `object.spec.trigger.type in ${celList(deliveryTypes)}`,
          message: "spec.trigger.type: the ingress may create Runs of types Webhook and ErrorTracker only",
        },
        {
          expression:
            "has(object.spec.automationRef.uid) && has(object.metadata.labels) && object.metadata.labels == " +
            `{'${labels.automationUid}': object.spec.automationRef.uid, '${labels.automationName}': object.spec.automationRef.name}`,
          message: `metadata.labels: the ingress must set ${labels.automationUid} and ${labels.automationName} as in spec.automationRef, and nothing else`,
        },
        {
          expression: `!has(object.metadata.annotations) || object.metadata.annotations.all(name, name == '${annotations.traceparent}')`,
          message: `metadata.annotations: the ingress may set ${annotations.traceparent} only`,
        },
        { expression: hasNoOwner, message: "metadata: the ingress may set neither ownerReferences nor finalizers" },
      ],
    },
    // A compromised pod can falsify records, but can neither block a namespace's deletion nor hide a record.
    {
      name: "ingress-delivery-logs",
      operations: ["CREATE", "UPDATE"],
      resource: "deliverylogs",
      validations: [
        {
          expression: `${hasOneOwner("Automation")} && ${owner}.name == object.metadata.name`,
          message: "metadata.ownerReferences: the Automation of the same name must be the only owner",
        },
        { expression: hasNoFinalizers, message: "metadata: the ingress may not set finalizers" },
        {
          expression: `request.operation == 'CREATE' || (${owner}.uid == oldObject.metadata.ownerReferences[0].uid)`,
          message: "metadata.ownerReferences: the ingress may not change the owner",
        },
      ],
    },
  ],
  gateway: [
    // A compromised pod can pause and resume automations, but can neither change instructions nor block deletions.
    {
      name: "gateway-automations",
      operations: ["UPDATE"],
      resource: "automations",
      variables: [
        { name: "annotations", expression: annotationsOf("object") },
        { name: "oldAnnotations", expression: annotationsOf("oldObject") },
      ],
      validations: [
        {
          expression: sameBut("dyn(object.spec)", "dyn(oldObject.spec)", "suspend"),
          message: "spec: the gateway may change suspend only",
        },
        {
          expression: sameBut("variables.annotations", "variables.oldAnnotations", annotations.resumeRequestedAt),
          message: `metadata.annotations: the gateway may change ${annotations.resumeRequestedAt} only`,
        },
        {
          expression: unchanged("labels", "ownerReferences", "finalizers"),
          message: "metadata: the gateway may change neither labels nor ownerReferences nor finalizers",
        },
      ],
    },
    // A compromised pod can start manual Runs, but can neither forge deliveries nor block a namespace's deletion.
    {
      name: "gateway-runs",
      operations: ["CREATE"],
      resource: "runs",
      validations: [
        {
          expression: "object.spec.trigger.type == 'Manual'",
          message: "spec.trigger.type: the gateway may create Runs of type Manual only",
        },
        {
          expression:
            `has(object.metadata.annotations) && '${annotations.requestedBy}' in object.metadata.annotations && ` +
            `object.metadata.annotations.all(name, name in ${celList([annotations.whilePaused, annotations.requestedBy])})`,
          message: `metadata.annotations: the gateway must set ${annotations.requestedBy} and may add ${annotations.whilePaused} only`,
        },
        { expression: hasNoOwner, message: "metadata: the gateway may set neither ownerReferences nor finalizers" },
      ],
    },
    // A compromised pod can send prompts under any user's name, but can neither orphan them nor block their deletion.
    {
      name: "gateway-prompts",
      operations: ["CREATE"],
      resource: "prompts",
      validations: [
        {
          expression: `has(object.metadata.annotations) && object.metadata.annotations.all(name, name == '${annotations.requestedBy}') && size(object.metadata.annotations) == 1`,
          message: `metadata.annotations: the gateway must set ${annotations.requestedBy} and nothing else`,
        },
        {
          expression: `${hasOneOwner("Session")} && ${owner}.name == object.spec.sessionRef.name && ${hasNoFinalizers}`,
          message: "metadata: the gateway must set the Session as the one owner, and no finalizers",
        },
      ],
    },
    // A compromised pod can cancel prompts; their text and session cannot change anyway.
    {
      name: "gateway-prompt-changes",
      operations: ["UPDATE"],
      resource: "prompts",
      validations: [
        {
          expression: unchanged("labels", "annotations", "ownerReferences", "finalizers"),
          message: "metadata: the gateway may change neither labels nor annotations nor ownerReferences nor finalizers",
        },
      ],
    },
    // A compromised pod can create child sessions only, which the controller admits or refuses.
    {
      name: "gateway-sessions",
      operations: ["CREATE"],
      resource: "sessions",
      validations: [
        {
          expression:
            `${hasOneOwner("Session")} && has(object.metadata.labels) && ` +
            `object.metadata.labels == {'${labels.parentUid}': ${owner}.uid} && ` +
            `!has(object.metadata.annotations) && ${hasNoFinalizers}`,
          message: `metadata: the gateway must set a Session as the one owner and ${labels.parentUid} as the one label, and neither annotations nor finalizers`,
        },
      ],
    },
  ],
};

/** Limits of our own processes, in case one of their pods is compromised. */
export function processPolicies(users: PolicyScope["users"]): PolicySource[] {
  return (["ingress", "gateway"] as const).flatMap((process) =>
    limits[process].map(({ resource, validations, ...limit }) => ({
      ...limit,
      resources: [resource],
      conditions: [{ name: `is-${process}`, expression: `request.userInfo.username == '${users[process]}'` }],
      validations: validations.map((validation) => ({ ...validation, reason: "Forbidden" as const })),
    })),
  );
}
