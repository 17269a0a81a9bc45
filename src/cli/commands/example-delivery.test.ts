import fc from "fast-check";
import { expect, it } from "vitest";

import { anAutomation } from "../../../test/support/builders.ts";
import type { AutomationSpec, Filter } from "../../api/v1alpha1/index.ts";
import { systemRandom } from "../../lib/random.ts";
import { exampleDelivery } from "../../domain/deliveries/example-delivery.ts";
import { explainDelivery } from "./explain-filters.ts";

function automationWith(filters: Filter[]) {
  const trigger = { type: "Webhook", webhook: { filters } } as AutomationSpec["trigger"];
  return anAutomation({ metadata: { namespace: "demo", name: "alerts", uid: "u" }, spec: { trigger } });
}

function tried(filters: Filter[]): { decision: string; problem: string | undefined } {
  const automation = automationWith(filters);
  const { body, problem } = exampleDelivery({ filters }, systemRandom);
  return { decision: explainDelivery(automation, Buffer.from(body)).decision, problem };
}

const of = (path: string, operator: Filter["operator"], value?: Filter["value"]): Filter => ({
  path,
  operator,
  ...(value !== undefined && { value }),
});

it.each<[string, Filter[]]>([
  ["none", []],
  [
    "texts",
    [of("$.status", "eq", "firing"), of("$.labels.severity", "eq", "critical"), of("$.labels.team", "neq", "b")],
  ],
  [
    "numbers",
    [of("$.n", "gt", 0.5), of("$.n", "lt", 0.6), of("$.m", "lte", -3), of("$.o", "gte", 5), of("$.o", "neq", 5)],
  ],
  ["the largest number", [of("$.n", "gt", 1e300)]],
  ["booleans", [of("$.ok", "eq", false), of("$.other", "neq", true)]],
  ["parts", [of("$.text", "contains", "it's"), of("$.text", "contains", '"b"'), of("$.text", "neq", "example")]],
  ["a member and one below it", [of("$.a", "exists"), of("$.a.b", "eq", "x"), of("$.a", "neq", "y")]],
  ["a member that objects have anyway", [of("$.__proto__.constructor", "eq", "x")]],
  ["the key", [of("$.idempotencyKey", "contains", "jira-")]],
  ["the key, whole", [of("$.idempotencyKey", "eq", "k")]],
  ["a text that cannot be seen", [of("$.a", "eq", "\u202e\u009b")]],
])("a body matches filters on %s", (_, filters) => {
  expect(tried(filters)).toEqual({ decision: "Started", problem: undefined });
});

it.each<[string, Filter[], string]>([
  ["two values", [of("$.a", "eq", "x"), of("$.a", "eq", "y")], 'filters[1]: $.a is "x", but must be "y"'],
  ["a text with members", [of("$.a", "eq", "x"), of("$.a.b", "exists")], "filters[0]: $.a is an object"],
  [
    "too much",
    Array.from({ length: 17 }, (_, at) => of(`$.a${at}`, "eq", "x".repeat(4_096))),
    "longer than a body may be",
  ],
])("says that no body matches filters that ask for %s", (_, filters, want) => {
  expect(tried(filters).problem).toContain(want);
});

it("has a key that no other has", () => {
  const bodies = [1, 2].map(() => exampleDelivery(undefined, systemRandom).body);
  expect(new Set(bodies).size).toBe(2);
});

it("finds a body for any filters that each ask for another member", () => {
  const scalar = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
  const one = fc.oneof(
    fc.record({ operator: fc.constantFrom("eq" as const, "neq" as const), value: scalar }),
    fc.record({ operator: fc.constant("contains" as const), value: fc.string() }),
    fc.record({ operator: fc.constantFrom("gte" as const, "lte" as const), value: fc.integer() }),
  );
  fc.assert(
    fc.property(fc.array(one, { maxLength: 10 }), (some) => {
      const filters = some.map((filter, at) => ({ ...filter, path: `$.m${at}` }));
      expect(tried(filters)).toEqual({ decision: "Started", problem: undefined });
    }),
  );
});
