import { expect, it } from "vitest";

import { whyTooLate } from "./too-late.ts";

const hourMs = 3_600_000;

it.each([
  { ranMs: 0, late: undefined },
  { ranMs: hourMs, late: undefined },
  { ranMs: hourMs + 1, late: "the levels before it took over 60 minutes; npm run test:docker runs it" },
])("after $ranMs ms: $late", ({ ranMs, late }) => {
  expect(whyTooLate("docker", ranMs)).toBe(late);
});
