import { IntegrationEvent } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf } from "../../lib/resource.ts";
import type { ConnectorMetrics } from "../metrics/connector-metrics.ts";
import { readAgainMs } from "../read-again.ts";
import { handledStatus, type Outcome, verdictOf } from "./lifecycle.ts";
import type { Starts } from "./starts.ts";

export interface SettleDeps {
  client: Pick<KubeClient, "patchStatus">;
  clock: Pick<Clock, "now">;
  connectorMetrics: Pick<ConnectorMetrics, "eventSettled">;
  starts: Pick<Starts, "forgetEvent">;
}

/** For so long an event waits for an Automation with too many unfinished Runs. */
const patienceMs = 3_600_000;
/** An event is looked at when a Run has ended; and this often, where that was missed. */
const fullMs = 10_000;
/** The ingress keeps what an Automation wants; so long the cache may not have that Automation yet. */
const unseenMs = 10_000;
const lookAgainMs = 1_000;

/** Milliseconds until an event should be looked at again that no known Automation wants; undefined where none will. */
export function unseenWaitMs(event: IntegrationEvent, now: Date): number | undefined {
  return waitedMs(event, now) < unseenMs ? lookAgainMs : undefined;
}

/**
 * Writes what became of an event at all Automations, unless an outcome may still be another: then it gives the milliseconds after
 * which to look again.
 */
export async function settleOrWait(
  { client, clock, connectorMetrics, starts }: SettleDeps,
  event: IntegrationEvent,
  outcomes: readonly Outcome[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const now = clock.now();
  const waitsMs = outcomes.flatMap((one) => outcomeWaitMs(event, one, now) ?? []);
  if (waitsMs.length > 0) return Math.min(...waitsMs);
  await client.patchStatus(IntegrationEvent, event, handledStatus(event, outcomes, now), { signal });
  starts.forgetEvent(keyOf(event));
  connectorMetrics.eventSettled(verdictOf(outcomes).reason);
  return undefined;
}

/** Milliseconds until an outcome may be another; undefined where it is final. */
function outcomeWaitMs(event: IntegrationEvent, { became, failure }: Outcome, now: Date): number | undefined {
  if (became === "waited") return waitedMs(event, now) < patienceMs ? fullMs : undefined;
  return failure && readAgainMs(event, failure, now);
}

function waitedMs({ spec }: IntegrationEvent, now: Date): number {
  return now.getTime() - Date.parse(spec.receivedTime);
}
