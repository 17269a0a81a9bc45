import { group } from "./kind.ts";
import { annotations } from "./names.ts";
import { isProcess, type PolicyScope, type PolicySource } from "./policy-source.ts";

/** Limits a compromised ingress pod to Runs that a sender could have started. */
export function ingressRuns(users: PolicyScope["users"]): PolicySource {
  return {
    name: "ingress-runs",
    operations: ["CREATE"],
    resources: ["runs"],
    conditions: [isProcess("ingress", users)],
    validations: [
      {
        expression: "object.spec.trigger.type == 'Webhook'",
        message: "spec.trigger.type: the ingress may create Runs of type Webhook only",
        reason: "Forbidden",
      },
      {
        expression: `!has(object.metadata.annotations) || !('${annotations.whilePaused}' in object.metadata.annotations)`,
        message: `metadata.annotations: the ingress may not set ${annotations.whilePaused}`,
        reason: "Forbidden",
      },
      {
        expression: "!has(object.metadata.ownerReferences) && !has(object.metadata.finalizers)",
        message: "metadata: the ingress may set neither ownerReferences nor finalizers",
        reason: "Forbidden",
      },
    ],
  };
}

/** A compromised ingress pod can falsify records, but can neither block a namespace's deletion nor hide a record. */
export function ingressDeliveryLogs(users: PolicyScope["users"]): PolicySource {
  const owner = "object.metadata.ownerReferences[0]";
  return {
    name: "ingress-delivery-logs",
    operations: ["CREATE", "UPDATE"],
    resources: ["deliverylogs"],
    conditions: [isProcess("ingress", users)],
    validations: [
      {
        expression: `has(object.metadata.ownerReferences) && size(object.metadata.ownerReferences) == 1 && ${owner}.kind == 'Automation' && ${owner}.apiVersion.startsWith('${group}/') && ${owner}.name == object.metadata.name`,
        message: "metadata.ownerReferences: the Automation of the same name must be the only owner",
        reason: "Forbidden",
      },
      {
        expression: "!has(object.metadata.finalizers)",
        message: "metadata: the ingress may not set finalizers",
        reason: "Forbidden",
      },
      {
        expression: `request.operation == 'CREATE' || (${owner}.uid == oldObject.metadata.ownerReferences[0].uid)`,
        message: "metadata.ownerReferences: the ingress may not change the owner",
        reason: "Forbidden",
      },
    ],
  };
}
