import { expect, it } from "vitest";

import type { Automation } from "../../api/v1alpha1/index.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import { CompiledTriggers } from "./compiled-triggers.ts";

function stored(generation: number, webhook?: object): Automation {
  // As the API server may hold it, also under rules of another version.
  return { metadata: { uid: "u1", generation }, spec: { trigger: { type: "Webhook", webhook } } } as Automation;
}
function compile(webhooks: CompiledTriggers, automation: Automation) {
  const compiled = webhooks.of(automation);
  if (compiled instanceof Refusal) throw compiled;
  if (compiled.type !== "Webhook") throw new Error(compiled.type);
  return compiled;
}
const filtered = (operator: string): object => ({ filters: [{ path: "$.a", operator, value: 1 }] });

it("compiles each generation once", () => {
  const webhooks = new CompiledTriggers();
  const first = compile(webhooks, stored(1, filtered("eq")));
  expect(webhooks.of(stored(1, filtered("eq")))).toBe(first);
  const second = compile(webhooks, stored(2, filtered("neq")));
  expect([first, second].map(({ filters }) => filters.firstMismatch({ a: 1 }) === undefined)).toEqual([true, false]);
  webhooks.forget("u1");
  expect(webhooks.of(stored(1, filtered("eq")))).not.toBe(first);
});

it("has the defaults where the automation says nothing", () => {
  const compiled = compile(new CompiledTriggers(), stored(1));
  expect(compiled).toMatchObject({
    requestRateLimit: { perSecond: 50, burst: 500 },
    rateLimit: { perSecond: 5, burst: 50 },
    maxUnfinishedRuns: 100,
  });
  expect(compiled.filters.firstMismatch(null)).toBeUndefined();
});

it.each([
  { rateLimit: { perSecond: 50, burst: 500 }, want: { perSecond: 50, burst: 500 } },
  { rateLimit: { perSecond: 51, burst: 501 }, want: { perSecond: 51, burst: 501 } },
])("takes at least as many requests as Runs: $rateLimit", ({ rateLimit, want }) => {
  expect(compile(new CompiledTriggers(), stored(1, { rateLimit }))).toMatchObject({ requestRateLimit: want });
});

it("guesses nothing where it cannot read the automation", () => {
  const unreadable = new CompiledTriggers().of(stored(1, filtered("matches")));
  expect(unreadable).toMatchObject({ code: "Unavailable", why: "invalid-automation", retryAfterSeconds: 60 });
});
