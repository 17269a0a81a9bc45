import { expect, it } from "vitest";
import { formatTraceparent, parseTraceparent, spanIdOf, traceIdOf } from "./trace-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

it.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [`00-${traceId}-${spanId}-03`, true],
])("reads %s", (text, sampled) => {
  expect(parseTraceparent(text)).toEqual({ traceId, spanId, sampled });
});

it.each([
  ["nothing", undefined],
  ["an empty text", ""],
  ["another version", `01-${traceId}-${spanId}-01`],
  ["the forbidden version", `ff-${traceId}-${spanId}-01`],
  ["more behind it", `00-${traceId}-${spanId}-01-x`],
  ["a line break behind it", `00-${traceId}-${spanId}-01\n`],
  ["blanks around it", ` 00-${traceId}-${spanId}-01 `],
  ["upper case", `00-${traceId.toUpperCase()}-${spanId}-01`],
  ["a trace id of 0", `00-${"0".repeat(32)}-${spanId}-01`],
  ["a span id of 0", `00-${traceId}-${"0".repeat(16)}-01`],
  ["a digit less", `00-${traceId.slice(1)}-${spanId}-01`],
  ["a digit more", `00-${traceId}0-${spanId}-01`],
  ["two headers in one", `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
])("ignores %s", (_, text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

it("writes what it reads, with no flag but the one it knows", () => {
  expect(formatTraceparent({ traceId, spanId, sampled: true })).toBe(`00-${traceId}-${spanId}-01`);
  expect(formatTraceparent({ traceId, spanId, sampled: false })).toBe(`00-${traceId}-${spanId}-00`);
});

it("gives the same name the same ids and others other ones", () => {
  expect(traceIdOf("a")).toMatch(/^[0-9a-f]{32}$/);
  expect(spanIdOf("a")).toMatch(/^[0-9a-f]{16}$/);
  expect([traceIdOf("a"), spanIdOf("a")]).toEqual([traceIdOf("a"), spanIdOf("a")]);
  expect(traceIdOf("a")).not.toBe(traceIdOf("b"));
  expect(spanIdOf("a")).not.toBe(spanIdOf("b"));
});
