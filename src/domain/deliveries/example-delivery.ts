import { visibleText } from "../../api/runtime/text.ts";
import type { Filter, Webhook } from "../../api/v1alpha1/index.ts";
import { longestPayloadBytes } from "./payload.ts";
import { randomNameBytes } from "../object-names.ts";
import { compileFilters } from "../filters/compile.ts";
import { describeMismatch } from "../filters/describe.ts";
import { compilePath } from "../filters/path.ts";
import { base32 } from "../../lib/base32.ts";
import type { Random } from "../../lib/random.ts";

/** A body to try an automation with. */
export interface ExampleDelivery {
  /** JSON. */
  body: string;
  /** Why the body starts no Run, in a sentence; undefined where it would. */
  problem: string | undefined;
}

/** A body to try a webhook with. */
interface ExampleWebhookDelivery extends ExampleDelivery {
  /** An idempotency key that no delivery had before; it is in the body, where the webhook reads it there. */
  freshKey: string;
}

/** A small body that matches all filters of a webhook, where there is one; filters left out: any body does. */
export function exampleDelivery(
  webhook: Partial<Pick<Webhook, "filters" | "idempotencyKeyFrom">> | undefined,
  random: Pick<Random, "bytes">,
): ExampleWebhookDelivery {
  const { filters = [], idempotencyKeyFrom } = webhook ?? {};
  const { paths: keyPaths = [] } = idempotencyKeyFrom ?? { paths: ["$.idempotencyKey"] };
  const freshKey = `example-${base32(random.bytes(randomNameBytes))}`;
  const root = {};
  for (const path of keyPaths) put(root, compilePath(path) ?? [], freshKey);
  // A member with members of its own is made by them.
  const paths = [...new Set(filters.map(({ path }) => path))].sort((a, b) => depthOf(b) - depthOf(a));
  for (const path of paths) {
    const value = matchingValue(
      filters.filter((filter) => filter.path === path),
      keyPaths.includes(path) ? freshKey : undefined,
    );
    put(root, compilePath(path) ?? [], value);
  }
  const body = visibleText(JSON.stringify(root));
  return { body, freshKey, problem: problemOf(body, filters) };
}

function problemOf(body: string, filters: readonly Filter[]): string | undefined {
  const mismatch = compileFilters(filters).firstMismatch(JSON.parse(body));
  if (mismatch) return `no body was found that matches all filters; of this one, ${describeMismatch(mismatch)}`;
  const isTooLong = Buffer.byteLength(body) > longestPayloadBytes;
  return isTooLong ? "the values of the filters are longer than a body may be" : undefined;
}

function depthOf(path: string): number {
  return path.split(".").length;
}

/** A value that all filters of one path match; the first idea where none does. */
function matchingValue(filters: readonly Filter[], freshKey: string | undefined): unknown {
  const judge = compileFilters(filters.map((filter) => ({ ...filter, path: "$.value" })));
  const ideas = [...(freshKey === undefined ? [] : keyIdeas(filters, freshKey)), ...valueIdeas(filters)];
  return ideas.find((value) => judge.firstMismatch({ value }) === undefined) ?? ideas[0];
}

function keyIdeas(filters: readonly Filter[], freshKey: string): string[] {
  return [freshKey, `${allParts(filters)}${freshKey}`];
}

function valueIdeas(filters: readonly Filter[]): unknown[] {
  const wanted = filters.flatMap(({ operator, value }) => (operator === "eq" ? [value] : []));
  const bounds = filters.flatMap(({ operator, value }) => (/^[gl]te?$/.test(operator) ? [Number(value)] : []));
  const between = bounds.flatMap((one) => bounds.map((other) => (one + other) / 2));
  const beside = bounds.flatMap((bound) => [bound + 1, bound - 1]);
  const extremes = bounds.length > 0 ? [Number.MAX_VALUE, -Number.MAX_VALUE] : [];
  return [...wanted, ...bounds, ...beside, ...between, ...extremes, allParts(filters), "example", "another example"];
}

/** A text that has the values of all filters `contains` in it. */
function allParts(filters: readonly Filter[]): string {
  return filters.map(({ operator, value }) => (operator === "contains" ? String(value) : "")).join("");
}

/** Sets a member, unless it has members already. */
function put(root: object, steps: readonly string[], value: unknown): void {
  let at = root;
  for (const step of steps.slice(0, -1)) {
    const next = memberOf(at, step);
    if (typeof next !== "object" || next === null) define(at, step, {});
    at = memberOf(at, step) as object;
  }
  const last = steps.at(-1);
  if (last !== undefined && typeof memberOf(at, last) !== "object") define(at, last, value);
}

function memberOf(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value;
}

/** Also of `__proto__`, which an assignment would not make a member. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
