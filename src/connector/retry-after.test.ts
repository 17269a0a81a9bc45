import { expect, it } from "vitest";

import { retryAfterMs } from "./retry-after.ts";

it.each([
  ["0", 0],
  ["7", 7_000],
  ["1.5", 1_500],
  [" 7 ", 7_000],
  ["1e999", Infinity],
])("%j is %d ms", (header, want) => {
  expect(retryAfterMs(header)).toBe(want);
});

it.each([undefined, null, "", " ", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"])("%j asks for nothing", (header) => {
  expect(retryAfterMs(header)).toBeUndefined();
});
