import { visibleText } from "../../api/runtime/text.ts";
import type { DeliveryDecision, Filter } from "../../api/v1alpha1/index.ts";
import { parsePayload, type Payload } from "../../domain/deliveries/payload.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import { textTable } from "../output/table.ts";

/** The decision on a body that is delivered now, without limits on rate and number. */
export interface Explanation {
  decision: DeliveryDecision | "PayloadTooLarge";
  message: string;
  /** Absent where the trigger has no filters by path. */
  filters?: (Filter & { matches: boolean; message: string })[];
  /** What senders have to prove themselves with; no one checks it here. Absent where the trigger has one way only. */
  authentication?: string;
  /** Idempotency key of the delivery, or the identity of an error tracker's event. */
  idempotencyKey?: string;
  /** Where the idempotency key is read, unless it is `idempotencyKey` in the body. */
  idempotencyKeyFrom?: string;
  /** The Run that has, or would have, this idempotency key. */
  runName?: string;
}

/** The body's JSON, or the decision on a body that has none. */
export function readPayload(
  body: Uint8Array,
  longestBytes: number,
): Payload | Pick<Explanation, "decision" | "message"> {
  if (body.length > longestBytes) {
    const message = `The body has ${body.length} bytes, more than ${longestBytes.toLocaleString("en")}`;
    return { decision: "PayloadTooLarge", message };
  }
  try {
    return parsePayload(body);
  } catch (error) {
    if (error instanceof Refusal) return { decision: "InvalidPayload", message: error.message };
    throw error;
  }
}

/** The explanation as text. */
export function explanationText(explanation: Explanation): string {
  const { decision, message, filters = [] } = explanation;
  const rows = filters.map(({ path, operator, value, matches, message }, index) => {
    const wanted = value === undefined || operator === "exists" ? "" : ` ${JSON.stringify(value)}`;
    return [String(index), `${path} ${operator}${wanted}`, matches ? "yes" : "no", message];
  });
  const table = rows.length > 0 ? [textTable(["#", "FILTER", "MATCHES", "FOUND"], rows)] : [];
  return [...table, ...proofLine(explanation), ...keyLine(explanation), `${decision}: ${message}`].join("\n\n");
}

function proofLine({ authentication }: Explanation): string[] {
  return authentication === undefined ? [] : [`Senders prove themselves with ${authentication}, which was not checked`];
}

function keyLine({ filters, idempotencyKey, idempotencyKeyFrom, runName }: Explanation): string[] {
  const from = idempotencyKeyFrom === undefined ? "" : `, made of ${idempotencyKeyFrom}`;
  if (idempotencyKey === undefined) {
    return filters ? [`Idempotency key${from}: none: each delivery is an event of its own`] : [];
  }
  const run = runName === undefined ? "" : `; its Run is ${runName}`;
  return [`Idempotency key${from}: ${visibleText(JSON.stringify(idempotencyKey))}${run}`];
}
