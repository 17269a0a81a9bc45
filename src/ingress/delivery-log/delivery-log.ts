import {
  deliveryLogLimits,
  type DeliveryLogSpec,
  type LoggedDelivery,
  type LogWriter,
  type RefusalCount,
} from "../../api/v1alpha1/index.ts";

/** Counts of one writer, added to a log once however often they are written. */
export interface CountedRefusals {
  writer: LogWriter;
  refusals: readonly RefusalCount[];
}

/** What one writer adds to a log. */
export interface LogEntries {
  deliveries: readonly LoggedDelivery[];
  counted?: CountedRefusals | undefined;
}

/**
 * Merges new entries into a log: each delivery once by its id, newest first, counts added once by their writer's
 * sequence number, within the kind's limits.
 */
export function mergedDeliveryLog(stored: DeliveryLogSpec, { deliveries, counted }: LogEntries): DeliveryLogSpec {
  return {
    deliveries: boundedDeliveries([...deliveries, ...(stored.deliveries ?? [])]),
    ...mergedCounts(stored, counted),
  };
}

function mergedCounts(
  { refusals = [], writers = [] }: DeliveryLogSpec,
  counted: CountedRefusals | undefined,
): Pick<DeliveryLogSpec, "refusals" | "writers"> {
  const known = writers.find(({ id }) => id === counted?.writer.id);
  if (!counted || (known && known.sequence >= counted.writer.sequence)) return { refusals, writers };
  const others = writers.filter((writer) => writer !== known);
  return {
    refusals: addedCounts(refusals, counted.refusals),
    writers: [counted.writer, ...others].slice(0, deliveryLogLimits.writers),
  };
}

/** The newest deliveries that a log keeps, each once, with as many of the newest bodies as fit. */
export function boundedDeliveries(deliveries: readonly LoggedDelivery[]): LoggedDelivery[] {
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
