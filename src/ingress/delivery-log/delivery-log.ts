import {
  deliveryLogLimits,
  type DeliveryLogSpec,
  type LoggedDelivery,
  type RefusalCount,
} from "../../api/v1alpha1/index.ts";

/** A log with what is new: each delivery once by its id, newest first, counts added; bounded as the kind says. */
export function mergedDeliveryLog(stored: DeliveryLogSpec, fresh: DeliveryLogSpec): DeliveryLogSpec {
  return {
    deliveries: boundedDeliveries([...(fresh.deliveries ?? []), ...(stored.deliveries ?? [])]),
    refusals: addedCounts(stored.refusals ?? [], fresh.refusals ?? []),
  };
}

/** The newest deliveries, each once, as many as a log keeps, and the newest of their bodies. */
function boundedDeliveries(deliveries: readonly LoggedDelivery[]): LoggedDelivery[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  // The id decides between equal times, so that all replicas come to the same order.
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
    // Stays below nothing once one did not fit: older bodies go before newer ones.
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

/** Instants that we write are all of one length, so their texts compare as they do. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
