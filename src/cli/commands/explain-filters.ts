import { z } from "zod";

import { Webhook, type Automation } from "../../api/v1alpha1/index.ts";
import { idempotencyKeyOf, longestPayloadBytes } from "../../domain/deliveries/payload.ts";
import { keyedRunName } from "../../domain/object-names.ts";
import { notStarted, pausedBecause } from "../../domain/deliveries/not-started.ts";
import { compileFilters, type CompiledFilters, type Finding } from "../../domain/filters/compile.ts";
import { describeDemand, describeFound } from "../../domain/filters/describe.ts";
import { CliError } from "../cli-error.ts";
import { explainEvent } from "./explain-event.ts";
import { type Explanation, readPayload } from "./explanation.ts";

/** What the ingress decides deliveries to a webhook Automation by. @throws CliError where its settings cannot be read */
export function webhookJudge(automation: Automation): { pausedBecause: string | undefined; filters: CompiledFilters } {
  const name = automation.metadata.name ?? "";
  const { data, error } = Webhook.safeParse(automation.spec.trigger.webhook ?? {});
  if (!data) throw new CliError(`Automation ${name}: spec.trigger.webhook cannot be read:\n${z.prettifyError(error)}`);
  return { pausedBecause: pausedBecause(automation), filters: compileFilters(data.filters) };
}

/** Decides on a body as the ingress does, and explains every filter. @throws CliError */
export function explainDelivery(automation: Automation, body: Uint8Array): Explanation {
  const { type } = automation.spec.trigger;
  if (type === "Webhook") return explainWebhook(automation, body);
  if (type === "ErrorTracker") return explainEvent(automation, body);
  throw new CliError(
    `Automation ${automation.metadata.name ?? ""} has trigger type ${type}, which takes no deliveries`,
  );
}

function explainWebhook(automation: Automation, body: Uint8Array): Explanation {
  const judge = webhookJudge(automation);
  const payload = readPayload(body, longestPayloadBytes);
  if (!("value" in payload)) return { ...payload, filters: [] };
  const idempotencyKey = idempotencyKeyOf(payload.value);
  const { name = "", uid } = automation.metadata;
  const stopped = notStarted(judge, payload.value);
  return {
    decision: stopped ? (stopped.verdict === "paused" ? "Paused" : "Filtered") : "Started",
    message: stopped?.message ?? "All filters match; a Run would start",
    filters: judge.filters.judgeAll(payload.value).map(explainedFilter),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(idempotencyKey !== undefined && uid !== undefined && { runName: keyedRunName({ name, uid }, idempotencyKey) }),
  };
}

function explainedFilter(finding: Finding): NonNullable<Explanation["filters"]>[number] {
  const { filter, matches } = finding;
  const message = `${describeFound(finding)}${matches ? "" : `, but ${describeDemand(filter)}`}`;
  return { ...filter, matches, message };
}
