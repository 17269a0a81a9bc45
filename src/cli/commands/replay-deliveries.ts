import {
  annotations,
  type Automation,
  type DeliveryLog,
  type LoggedDelivery,
  type Run,
} from "../../api/v1alpha1/index.ts";
import { keyedRunName } from "../../domain/object-names.ts";
import { makeRun } from "../../domain/deliveries/make-run.ts";
import { notStarted } from "../../domain/deliveries/not-started.ts";
import { base32 } from "../../lib/base32.ts";
import type { Random } from "../../lib/random.ts";
import { CliError } from "../cli-error.ts";
import { webhookJudge } from "./explain-filters.ts";

/** What is stored of a delivery. */
export interface StoredDelivery {
  automationName: string;
  payload: string;
}

/** An entry of a DeliveryLog. */
export interface FoundEntry {
  automationName: string;
  delivery: LoggedDelivery;
}

/** The entry of a delivery; undefined when no log has it any more. */
export function entryOf(deliveryId: string, logs: readonly DeliveryLog[]): FoundEntry | undefined {
  for (const { metadata, spec } of logs) {
    const delivery = spec.deliveries?.find(({ id }) => id === deliveryId);
    if (delivery) return { automationName: metadata.name ?? "", delivery };
  }
  return undefined;
}

/**
 * The body of a delivery, from its entry or from its Run. @throws CliError that says why neither has it
 */
export function storedDelivery(
  deliveryId: string,
  entry: FoundEntry | undefined,
  run: Run | undefined,
): StoredDelivery {
  if (entry?.delivery.body !== undefined) {
    return { automationName: entry.automationName, payload: entry.delivery.body };
  }
  if (run?.spec.trigger.deliveryID === deliveryId) {
    const { automationRef, trigger } = run.spec;
    if (trigger.payload !== undefined) return { automationName: automationRef.name, payload: trigger.payload };
    throw new CliError(`Run ${run.metadata.name ?? ""} is past its history: its payload was removed`);
  }
  if (!entry) throw new CliError(`neither a DeliveryLog nor a Run of this namespace has delivery ${deliveryId}`);
  throw new CliError(`the body of delivery ${deliveryId} was not kept: ${whyNotKept(entry.delivery, run)}`);
}

function whyNotKept({ decision, bodyOmission, runName = "" }: LoggedDelivery, run: Run | undefined): string {
  if (decision === "Started") return `Run ${runName} is no longer there`;
  if (decision !== "Duplicate") return bodyOmission ?? decision;
  const first = run?.spec.trigger.deliveryID;
  const remedy = first === undefined ? "" : `\nReplay the delivery that it repeated, ${first}`;
  return `it was a duplicate of Run ${runName}${remedy}`;
}

interface Replay {
  deliveryId: string;
  /** By default one that no sender has. */
  idempotencyKey?: string | undefined;
  now: Date;
  random: Random;
  ignoreFilters: boolean;
}

/**
 * The Run that replays a delivery. The Automation's current state and filters decide, as for a new delivery.
 * @throws CliError when they would start nothing
 */
export function replayRun(
  automation: Automation,
  { payload }: StoredDelivery,
  { deliveryId, idempotencyKey: given, now, random, ignoreFilters }: Replay,
): Run {
  requireWebhook(automation);
  const stopped = notStarted(webhookJudge(automation), JSON.parse(payload));
  if (stopped && !(ignoreFilters && stopped.verdict === "unmatched")) {
    const remedy =
      stopped.verdict === "paused"
        ? "Resume it first: kubectl runwright resume"
        : "To start a Run anyway, add --ignore-filters";
    throw new CliError(`delivery ${deliveryId} would start nothing: ${stopped.message}\n${remedy}`);
  }
  const { namespace = "", name = "", uid = "", generation = 0 } = automation.metadata;
  const id = base32(random.bytes(16));
  const idempotencyKey = given ?? `replay of ${deliveryId} as ${id}`;
  const delivery = { id, receivedAt: now, payload, idempotencyKey };
  const run = makeRun(
    { type: "Webhook", namespace, name, uid, generation },
    delivery,
    keyedRunName({ name, uid }, idempotencyKey),
  );
  return { ...run, metadata: { ...run.metadata, annotations: { [annotations.replayOf]: deliveryId } } };
}

function requireWebhook({ metadata, spec }: Automation): void {
  const { type } = spec.trigger;
  if (type === "Webhook") return;
  throw new CliError(
    `Automation ${metadata.name ?? ""} has trigger type ${type}; only deliveries of type Webhook can be replayed`,
  );
}
