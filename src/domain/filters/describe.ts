import { visibleText } from "../../api/runtime/text.ts";
import type { Filter } from "../../api/v1alpha1/index.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { Finding } from "./compile.ts";
import { compilePath, valueKind } from "./path.ts";

/** Maximum length of quoted text, in characters. */
const quotedCharacters = 80;

/** Wording of each operator. */
const demands = {
  exists: () => "be there",
  eq: (wanted) => `be ${wanted}`,
  neq: (wanted) => `be there and not be ${wanted}`,
  gt: (wanted) => `be a number above ${wanted}`,
  gte: (wanted) => `be a number of at least ${wanted}`,
  lt: (wanted) => `be a number below ${wanted}`,
  lte: (wanted) => `be a number of at most ${wanted}`,
  contains: (wanted) => `be text that has ${wanted} in it`,
} as const satisfies Record<Filter["operator"], (wanted: string) => string>;

/** What was found at a filter's path, such as `$.status is "ok"` or `$.alert is missing`. */
export function describeFound({ filter, found }: Finding): string {
  if (!found) return `${filter.path} is no path that can be followed`;
  if ("value" in found) return `${filter.path} is ${quoted(found.value)}`;
  const { missingAfter, inside } = found;
  const steps = compilePath(filter.path) ?? [];
  if (inside === "object") return `${pathOf(steps.slice(0, missingAfter + 1))} is missing`;
  return `${pathOf(steps.slice(0, missingAfter))} is ${article[inside]} and has no members`;
}

/** What a filter asks for, such as `must be "failed"`. */
export function describeDemand({ operator, value }: Filter): string {
  return `must ${demands[operator](quoted(value))}`;
}

/** What a filter found, and what it asked for where that does not match. */
export function explainFinding(finding: Finding): string {
  return `${describeFound(finding)}${finding.matches ? "" : `, but ${describeDemand(finding.filter)}`}`;
}

/** Why a filter did not match, in one sentence. */
export function describeMismatch(finding: Finding): string {
  const { index, filter, found } = finding;
  const sentence = `filters[${index}]: ${describeFound(finding)}, but ${describeDemand(filter)}`;
  if (filter.operator !== "eq" || !found || !("value" in found)) return sentence;
  const [is, wanted] = [valueKind(found.value), valueKind(filter.value)];
  return is === wanted ? sentence : `${sentence}; ${is} never equals ${wanted}`;
}

const article = { list: "a list", text: "text", number: "a number", boolean: "true or false", null: "null" } as const;

function pathOf(steps: readonly string[]): string {
  return ["$", ...steps].join(".");
}

/** A scalar as JSON, long text cut and what cannot be seen as escapes; of what has members only what it is. */
function quoted(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return JSON.stringify(value);
  // Twice as many code units hold at least so many characters, and the rest need not be looked at.
  const start = firstCharacters(value.slice(0, 2 * quotedCharacters), quotedCharacters);
  return `${visibleText(JSON.stringify(start))}${start.length < value.length ? "…" : ""}`;
}
