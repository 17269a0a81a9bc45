import {
  deliveryLogLimits,
  type DeliveryLogSpec,
  type LoggedDelivery,
  type RefusalCount,
} from "../../api/v1alpha1/index.ts";

/** Merges new entries into a log: each delivery once by its id, newest first, counts added, within the kind's limits. */
export function mergedDeliveryLog(stored: DeliveryLogSpec, fresh: DeliveryLogSpec): DeliveryLogSpec {
  return {
    deliveries: boundedDeliveries([...(fresh.deliveries ?? []), ...(stored.deliveries ?? [])]),
    refusals: addedCounts(stored.refusals ?? [], fresh.refusals ?? []),
  };
}

/** The newest deliveries that a log keeps, each once, with as many of the newest bodies as fit. */
function boundedDeliveries(deliveries: readonly LoggedDelivery[]): LoggedDelivery[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  // Ties are broken by id, so that all replicas agree on the order.
  const newestFirst = [...byId.values()].sort(
    (one, other) => compare(other.time, one.time) || compare(other.id, one.id),
  );
  return withBoundedBodies(newestFirst.slice(0, deliveryLogLimits.deliveries));
}

function withBoundedBodies(newestFirst: readonly LoggedDelivery[]): LoggedDelivery[] {
  let room: number = deliveryLogLimits.bodiesBytes;
  return newestFirst.map((delivery) => {
    const { body, ...rest } = delivery;
    if (body === undefined) return delivery;
    // Stays negative once a body did not fit, so that no older body is kept instead.
    room -= Buffer.byteLength(body);
    return room >= 0 ? delivery : { ...rest, bodyOmission: "MadeRoom" };
  });
}

function addedCounts(stored: readonly RefusalCount[], fresh: readonly RefusalCount[]): RefusalCount[] {
  const counts = new Map(stored.map((count) => [count.reason, count]));
  for (const { reason, count, lastTime } of fresh) {
    const before = counts.get(reason);
    const isLater = !before || compare(lastTime, before.lastTime) > 0;
    counts.set(reason, {
      reason,
      count: (before?.count ?? 0) + count,
      lastTime: isLater ? lastTime : before.lastTime,
    });
  }
  return [...counts.values()];
}

/** All instants that we write have the same length, so they can be compared as text. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
