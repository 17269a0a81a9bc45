import type { Delivery } from "./calls.ts";

/** Types of events that an Integration handles. */
const handled: readonly string[] = [
  "issue_comment",
  "pull_request_review_comment",
  "pull_request",
  "pull_request_review",
  "issues",
  "check_suite",
  "workflow_run",
];

/**
 * Deliveries that GitHub should send again: the newest of each event that was never taken, where another try can help. What was
 * refused for its content, its signature or its installation would be refused again.
 */
export function failedDeliveries(deliveries: readonly Delivery[], installationId: number): Delivery[] {
  const taken = new Set(deliveries.filter(({ status_code: status }) => isTaken(status)).map(({ guid }) => guid));
  const newest = new Map<string, Delivery>();
  for (const delivery of deliveries) {
    const known = newest.get(delivery.guid);
    if (!known || Date.parse(delivery.delivered_at) > Date.parse(known.delivered_at))
      newest.set(delivery.guid, delivery);
  }
  return [...newest.values()].filter(
    (one) =>
      !taken.has(one.guid) &&
      one.installation_id === installationId &&
      handled.includes(one.event) &&
      isWorthATry(one.status_code),
  );
}

function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Below 100 there was no answer. */
function isWorthATry(status: number): boolean {
  return status >= 500 || status === 429 || status < 100;
}
