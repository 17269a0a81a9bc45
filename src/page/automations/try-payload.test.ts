import { expect, it } from "vitest";
import { longestPayloadBytes } from "../../domain/deliveries/payload.ts";
import { tryPayload } from "./try-payload.ts";

const filters = [
  { path: "$.status", operator: "eq", value: "firing" },
  { path: "$.count", operator: "gte", value: 3 },
] as const;

it.each([
  ["all match", '{"status":"firing","count":3}', true],
  ["one does not", '{"status":"firing","count":2}', false],
  ["a number is text", '{"status":"firing","count":"3"}', false],
  ["a member is missing", '{"count":3}', false],
])("%s", (_, text, starts) => {
  const trial = tryPayload(filters, text);
  expect(trial.starts).toBe(starts);
  expect(trial.findings).toHaveLength(2);
});

it("says what was found and what was wanted", () => {
  const { findings } = tryPayload(filters, '{"status":"resolved","count":7}');
  expect(findings).toEqual([
    { filter: '$.status eq "firing"', matches: false, found: '$.status is "resolved", but must be "firing"' },
    { filter: "$.count gte 3", matches: true, found: "$.count is 7" },
  ]);
});

it("refuses what the ingress refuses", () => {
  expect(tryPayload([], "nope")).toEqual({ starts: false, message: "The body is not valid JSON; the answer is 400." });
  const padded = (bytes: number): string => `"${"x".repeat(bytes - 2)}"`;
  expect(tryPayload([], padded(longestPayloadBytes)).starts).toBe(true);
  expect(tryPayload([], padded(longestPayloadBytes + 1)).message).toContain("413");
});
