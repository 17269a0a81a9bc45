import { longestPayloadBytes, parsePayload } from "../../domain/deliveries/payload.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import { compileFilters, type Finding } from "../../domain/filters/compile.ts";
import { explainFinding } from "../../domain/filters/describe.ts";
import type { Filter } from "../api.ts";

/** What the ingress would decide about a payload while the automation is enabled. */
export interface Trial {
  starts: boolean;
  message: string;
  /** One for each filter; absent where the payload cannot be read. */
  findings?: { filter: string; matches: boolean; found: string }[];
}

/** Decides with the code of the ingress; limits on rate and number are not looked at. */
export function tryPayload(filters: readonly Filter[], text: string): Trial {
  const body = new TextEncoder().encode(text);
  if (body.length > longestPayloadBytes) {
    const limit = longestPayloadBytes.toLocaleString("en");
    return {
      starts: false,
      message: `It has ${body.length.toLocaleString("en")} bytes, more than ${limit}; the answer is 413.`,
    };
  }
  try {
    const judged = compileFilters(filters).judgeAll(parsePayload(body).value);
    const starts = judged.every(({ matches }) => matches);
    const findings = judged.map((finding) => ({
      filter: filterText(finding.filter),
      matches: finding.matches,
      found: explainFinding(finding),
    }));
    return { starts, message: starts ? "All filters match: a run would start." : "No run would start.", findings };
  } catch (error) {
    if (error instanceof Refusal) return { starts: false, message: `${error.message}; the answer is 400.` };
    throw error;
  }
}

function filterText({ path, operator, value }: Finding["filter"]): string {
  return value === undefined || operator === "exists"
    ? `${path} ${operator}`
    : `${path} ${operator} ${JSON.stringify(value)}`;
}
