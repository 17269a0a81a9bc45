import { apiVersion } from "../kind.ts";
import { annotations, labels } from "../names.ts";
import { free, holds, isEmpty, labelled, members, must, only, oneOf, oneOwner, type Rule } from "./rules.ts";
import type { Write } from "./write.ts";

const event = { apiGroup: "events.k8s.io", version: "v1", resource: "events" } as const;

/** A reference to an object of ours. */
const ours: Rule = members({
  apiVersion: oneOf(apiVersion),
  kind: free,
  namespace: free,
  name: free,
  uid: free,
  resourceVersion: free,
});

/** Events of a process, about objects of ours and under its own name. */
export function eventWrites(process: string): Write[] {
  return [
    {
      ...event,
      name: `${process}-events`,
      operation: "CREATE",
      fields: {
        eventTime: free,
        series: free,
        reportingController: oneOf(`runwright.dev/${process}`),
        reportingInstance: free,
        action: free,
        reason: free,
        regarding: ours,
        related: ours,
        note: free,
        type: free,
        // Of older versions of the kind; the API server writes what is empty.
        deprecatedSource: isEmpty,
        deprecatedFirstTimestamp: isEmpty,
        deprecatedLastTimestamp: isEmpty,
      },
    },
    { ...event, name: `${process}-event-changes`, operation: "UPDATE", fields: { series: free } },
  ];
}

export const lease = { apiGroup: "coordination.k8s.io", version: "v1", resource: "leases" } as const;

const election = only("holderIdentity", "leaseDurationSeconds", "acquireTime", "renewTime", "leaseTransitions");

/** What a Lease says beside its metadata. */
export const leaseFields = { spec: election };

export const secret = { apiGroup: "", version: "v1", resource: "secrets" } as const;

/** A name that is one of these. */
export function named(...names: readonly string[]): Rule {
  return oneOf(...names);
}

/** A name that begins with one of these. */
export function namedLike(...prefixes: readonly string[]): Rule {
  const cel = (at: string): string => prefixes.map((prefix) => `${at}.startsWith('${prefix}')`).join(" || ");
  return holds(cel, `must begin with ${prefixes.join(" or ")}`);
}

/** Labels of a Run as its Automation has them. */
export function isOfAutomation(at: string): string {
  const ofReference = labelled({
    [labels.automationUid]: "object.spec.automationRef.uid",
    [labels.automationName]: "object.spec.automationRef.name",
  });
  return `has(object.spec.automationRef.uid) && ${ofReference(at)}`;
}

/** Runs of deliveries of these trigger types. */
export function runsOf(process: string, types: readonly string[]): Write {
  const says = `the ${process} must set ${labels.automationUid} and ${labels.automationName} as in spec.automationRef, and nothing else of ours`;
  return {
    name: `${process}-runs`,
    operation: "CREATE",
    resource: "runs",
    metadata: { labels: must(holds(isOfAutomation, says)), annotations: only(annotations.traceparent) },
    fields: {
      spec: members({
        automationRef: only("name", "uid", "generation"),
        trigger: members({ type: oneOf(...types), time: free, deliveryID: free, idempotencyKey: free, payload: free }),
      }),
    },
  };
}

/** The Integration that `spec.integrationRef` names as the one owner. */
export function itsIntegration(process: string): Rule {
  return oneOwner(
    "Integration",
    `the ${process} must set the Integration of spec.integrationRef as the one owner`,
    (reference) =>
      `${reference}.name == object.spec.integrationRef.name && ${reference}.uid == object.spec.integrationRef.uid`,
  );
}
