import { z } from "zod";

import { visibleText } from "../../api/runtime/text.ts";
import { Webhook, type Automation, type DeliveryDecision, type Filter } from "../../api/v1alpha1/index.ts";
import { idempotencyKeyOf, longestPayloadBytes, parsePayload, type Payload } from "../../domain/deliveries/payload.ts";
import { keyedRunName } from "../../domain/object-names.ts";
import { notStarted, pausedBecause } from "../../domain/deliveries/not-started.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import { compileFilters, type CompiledFilters, type Finding } from "../../domain/filters/compile.ts";
import { describeDemand, describeFound } from "../../domain/filters/describe.ts";
import { CliError } from "../cli-error.ts";
import { textTable } from "../output/table.ts";

/** The decision on a body that is delivered now, without limits on rate and number. */
export interface Explanation {
  decision: DeliveryDecision | "PayloadTooLarge";
  message: string;
  filters: (Filter & { matches: boolean; message: string })[];
  /** Idempotency key in the body. */
  idempotencyKey?: string;
  /** The Run that has, or would have, this idempotency key. */
  runName?: string;
}

/** What the ingress decides deliveries to an Automation by. @throws CliError unless it is a valid webhook Automation */
export function webhookJudge(automation: Automation): { pausedBecause: string | undefined; filters: CompiledFilters } {
  const { trigger } = automation.spec;
  const name = automation.metadata.name ?? "";
  if (trigger.type !== "Webhook") {
    throw new CliError(
      `Automation ${name} has trigger type ${trigger.type}; only deliveries of type Webhook can be judged and made here`,
    );
  }
  const { data, error } = Webhook.safeParse(trigger.webhook ?? {});
  if (!data) throw new CliError(`Automation ${name}: spec.trigger.webhook cannot be read:\n${z.prettifyError(error)}`);
  return { pausedBecause: pausedBecause(automation), filters: compileFilters(data.filters) };
}

/** Decides on a body as the ingress does, and explains every filter. @throws CliError */
export function explainDelivery(automation: Automation, body: Uint8Array): Explanation {
  const judge = webhookJudge(automation);
  const payload = readPayload(body);
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

function readPayload(body: Uint8Array): Payload | Pick<Explanation, "decision" | "message"> {
  if (body.length > longestPayloadBytes) {
    const message = `The body has ${body.length} bytes, more than ${longestPayloadBytes.toLocaleString("en")}`;
    return { decision: "PayloadTooLarge", message };
  }
  try {
    return parsePayload(body);
  } catch (error) {
    if (error instanceof Refusal) return { decision: "InvalidPayload", message: error.message };
    throw error;
  }
}

function explainedFilter(finding: Finding): Explanation["filters"][number] {
  const { filter, matches } = finding;
  const message = `${describeFound(finding)}${matches ? "" : `, but ${describeDemand(filter)}`}`;
  return { ...filter, matches, message };
}

/** The explanation as text. */
export function explanationText({ decision, message, filters, idempotencyKey, runName }: Explanation): string {
  const rows = filters.map(({ path, operator, value, matches, message }, index) => {
    const wanted = value === undefined || operator === "exists" ? "" : ` ${JSON.stringify(value)}`;
    return [String(index), `${path} ${operator}${wanted}`, matches ? "yes" : "no", message];
  });
  const table = rows.length > 0 ? [textTable(["#", "FILTER", "MATCHES", "FOUND"], rows)] : [];
  const key =
    idempotencyKey === undefined
      ? "none: each delivery is an event of its own"
      : visibleText(JSON.stringify(idempotencyKey));
  const run = runName === undefined ? "" : `; its Run is ${runName}`;
  return [...table, `Idempotency key: ${key}${run}`, `${decision}: ${message}`].join("\n\n");
}
