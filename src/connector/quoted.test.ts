import { expect, it } from "vitest";

import { quoted } from "./quoted.ts";

it.each([
  { ticks: 0, want: { ticks: 0, fence: 3 } },
  { ticks: 3, want: { ticks: 3, fence: 4 } },
  { ticks: 19, want: { ticks: 19, fence: 20 } },
  { ticks: 20, want: { ticks: 20, fence: 21 } },
  { ticks: 21, want: { ticks: 20, fence: 21 } },
  { ticks: 24_000, want: { ticks: 20, fence: 21 } },
])("shows a run of $ticks back-ticks as $want.ticks in a fence of $want.fence", ({ ticks, want }) => {
  const fence = "`".repeat(want.fence);
  expect(quoted(`a ${"`".repeat(ticks)} b`)).toBe(`${fence}\na ${"`".repeat(want.ticks)} b\n${fence}`);
});
