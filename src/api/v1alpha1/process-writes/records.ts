import { apiVersion } from "../kind.ts";
import { free, holds, isEmpty, members, only, oneOf, type Rule } from "./rules.ts";
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
