import { expect, it } from "vitest";

import { forgetPeak, memoryOf, mostMib, tooLarge } from "./memory.ts";

it("knows what this process takes, and took at most since it was asked to forget", async () => {
  await forgetPeak(process.pid);
  const before = await memoryOf(process.pid);
  expect(before.peakMib).toBeGreaterThanOrEqual(before.nowMib);
  const held = Buffer.alloc(256 * 2 ** 20, 1);
  const holding = await memoryOf(process.pid);
  expect(holding.peakMib - before.nowMib).toBeGreaterThan(200);
  expect(held).toHaveLength(256 * 2 ** 20);
});

it.each([
  [mostMib - 1, []],
  [mostMib, []],
  [mostMib + 1, ["gateway: 229 MiB, 100 at rest"]],
])("names processes that took %i MiB more than at rest: %j", (more, names) => {
  const taken = { gateway: { idleMib: 100, peakMib: 100 + more }, ingress: { idleMib: 90, peakMib: 95 } };
  expect(tooLarge(taken)).toEqual(names);
});
