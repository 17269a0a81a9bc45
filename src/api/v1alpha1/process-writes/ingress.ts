import { annotations, labels } from "../names.ts";
import { deliveryTypes } from "../trigger.ts";
import { free, holds, members, must, oneOf, oneOwner, only } from "./rules.ts";
import type { Write } from "./write.ts";

const owner = oneOwner(
  "Automation",
  "the Automation of the same name must be the only owner",
  (reference) => `${reference}.name == object.metadata.name`,
);
const log = { name: "ingress-delivery-logs", resource: "deliverylogs" } as const;
const records = { spec: only("deliveries", "refusals", "writers") };

/** Limits a compromised pod of the ingress to what a sender could have caused. */
export const ingressWrites: readonly Write[] = [
  {
    name: "ingress-runs",
    operation: "CREATE",
    resource: "runs",
    metadata: {
      labels: must(
        holds(
          (at) =>
            "has(object.spec.automationRef.uid) && " +
            `${at} == {'${labels.automationUid}': object.spec.automationRef.uid, '${labels.automationName}': object.spec.automationRef.name}`,
          `the ingress must set ${labels.automationUid} and ${labels.automationName} as in spec.automationRef, and nothing else`,
        ),
      ),
      annotations: only(annotations.traceparent),
    },
    fields: {
      spec: members({
        automationRef: only("name", "uid", "generation"),
        trigger: members({
          type: oneOf(...deliveryTypes),
          time: free,
          deliveryID: free,
          idempotencyKey: free,
          payload: free,
        }),
      }),
    },
  },
  // A compromised pod can falsify records, but can neither block a namespace's deletion nor hide a record.
  { ...log, operation: "CREATE", metadata: { ownerReferences: owner }, fields: records },
  { ...log, name: "ingress-delivery-log-changes", operation: "UPDATE", fields: records },
];
