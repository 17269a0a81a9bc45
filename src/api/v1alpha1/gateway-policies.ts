import { annotations, labels } from "./names.ts";
import { isProcess, type PolicyScope, type PolicySource } from "./policy-source.ts";
import { celList } from "./schema.ts";

/** CEL: whether both maps are equal except for the key `free`; `dyn` lets CEL read an object as a map. */
function sameBut(now: string, before: string, free: string): string {
  return (
    `${now}.all(key, key == '${free}' || (key in ${before} && ${now}[key] == ${before}[key])) && ` +
    `${before}.all(key, key == '${free}' || key in ${now})`
  );
}

const unchanged = (field: string): string =>
  `has(object.metadata.${field}) == has(oldObject.metadata.${field}) && ` +
  `(!has(object.metadata.${field}) || object.metadata.${field} == oldObject.metadata.${field})`;

/** A compromised gateway pod can pause and resume automations, but can neither change instructions nor block deletions. */
export function gatewayAutomations(users: PolicyScope["users"]): PolicySource {
  const annotationsOf = (object: string): string =>
    `has(${object}.metadata.annotations) ? dyn(${object}.metadata.annotations) : dyn({})`;
  return {
    name: "gateway-automations",
    operations: ["UPDATE"],
    resources: ["automations"],
    conditions: [isProcess("gateway", users)],
    variables: [
      { name: "annotations", expression: annotationsOf("object") },
      { name: "oldAnnotations", expression: annotationsOf("oldObject") },
    ],
    validations: [
      {
        expression: sameBut("dyn(object.spec)", "dyn(oldObject.spec)", "suspend"),
        message: "spec: the gateway may change suspend only",
        reason: "Forbidden",
      },
      {
        expression: sameBut("variables.annotations", "variables.oldAnnotations", annotations.resumeRequestedAt),
        message: `metadata.annotations: the gateway may change ${annotations.resumeRequestedAt} only`,
        reason: "Forbidden",
      },
      {
        expression: ["labels", "ownerReferences", "finalizers"].map(unchanged).join(" && "),
        message: "metadata: the gateway may change neither labels nor ownerReferences nor finalizers",
        reason: "Forbidden",
      },
    ],
  };
}

/** A compromised gateway pod can start manual Runs, but can neither forge deliveries nor block a namespace's deletion. */
export function gatewayRuns(users: PolicyScope["users"]): PolicySource {
  const allowed = celList([annotations.whilePaused, annotations.requestedBy]);
  return {
    name: "gateway-runs",
    operations: ["CREATE"],
    resources: ["runs"],
    conditions: [isProcess("gateway", users)],
    validations: [
      {
        expression: "object.spec.trigger.type == 'Manual'",
        message: "spec.trigger.type: the gateway may create Runs of type Manual only",
        reason: "Forbidden",
      },
      {
        expression:
          `has(object.metadata.annotations) && '${annotations.requestedBy}' in object.metadata.annotations && ` +
          `object.metadata.annotations.all(name, name in ${allowed})`,
        message: `metadata.annotations: the gateway must set ${annotations.requestedBy} and may add ${annotations.whilePaused} only`,
        reason: "Forbidden",
      },
      {
        expression: "!has(object.metadata.ownerReferences) && !has(object.metadata.finalizers)",
        message: "metadata: the gateway may set neither ownerReferences nor finalizers",
        reason: "Forbidden",
      },
    ],
  };
}

/** A compromised gateway pod can send prompts under any user's name, but can neither orphan them nor block their deletion. */
export function gatewayPrompts(users: PolicyScope["users"]): PolicySource {
  return {
    name: "gateway-prompts",
    operations: ["CREATE"],
    resources: ["prompts"],
    conditions: [isProcess("gateway", users)],
    validations: [
      {
        expression: `has(object.metadata.annotations) && object.metadata.annotations.all(name, name == '${annotations.requestedBy}') && size(object.metadata.annotations) == 1`,
        message: `metadata.annotations: the gateway must set ${annotations.requestedBy} and nothing else`,
        reason: "Forbidden",
      },
      {
        expression:
          "has(object.metadata.ownerReferences) && size(object.metadata.ownerReferences) == 1 && " +
          "object.metadata.ownerReferences[0].kind == 'Session' && object.metadata.ownerReferences[0].name == object.spec.sessionRef.name && " +
          "!has(object.metadata.finalizers)",
        message: "metadata: the gateway must set the Session as the one owner, and no finalizers",
        reason: "Forbidden",
      },
    ],
  };
}

/** A compromised gateway pod can cancel prompts; their text and session cannot change anyway. */
export function gatewayPromptChanges(users: PolicyScope["users"]): PolicySource {
  return {
    name: "gateway-prompt-changes",
    operations: ["UPDATE"],
    resources: ["prompts"],
    conditions: [isProcess("gateway", users)],
    validations: [
      {
        expression: ["labels", "annotations", "ownerReferences", "finalizers"].map(unchanged).join(" && "),
        message: "metadata: the gateway may change neither labels nor annotations nor ownerReferences nor finalizers",
        reason: "Forbidden",
      },
    ],
  };
}

/** A compromised gateway pod can create child sessions only, which the controller admits or refuses. */
export function gatewaySessions(users: PolicyScope["users"]): PolicySource {
  return {
    name: "gateway-sessions",
    operations: ["CREATE"],
    resources: ["sessions"],
    conditions: [isProcess("gateway", users)],
    validations: [
      {
        expression:
          "has(object.metadata.ownerReferences) && size(object.metadata.ownerReferences) == 1 && " +
          "object.metadata.ownerReferences[0].kind == 'Session' && " +
          `has(object.metadata.labels) && object.metadata.labels == {'${labels.parentUid}': object.metadata.ownerReferences[0].uid} && ` +
          "!has(object.metadata.annotations) && !has(object.metadata.finalizers)",
        message: `metadata: the gateway must set a Session as the one owner and ${labels.parentUid} as the one label, and neither annotations nor finalizers`,
        reason: "Forbidden",
      },
    ],
  };
}
