import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect, it } from "vitest";

import { forgetPeak, memoryOf, mostMib, tooLarge } from "./memory.ts";

/** Holds 256 MiB and says so, lets go of them when it is told something, and says that. */
const program = `
let held = Buffer.alloc(256 * 2 ** 20, 1);
process.stdin.once("data", () => {
  held = undefined;
  gc();
  process.stdout.write("free");
});
process.stdout.write("held");
`;

it("knows what a process takes, and what it took at most until it was to be forgotten", async () => {
  const child = spawn(process.execPath, ["--expose-gc", "-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  const pid = child.pid ?? 0;
  try {
    await once(child.stdout, "data");
    expect((await memoryOf(pid)).nowMib).toBeGreaterThan(256);
    child.stdin.write("go on");
    await once(child.stdout, "data");
    // The collector gives memory back a moment later.
    await expect.poll(async () => (await memoryOf(pid)).nowMib).toBeLessThan(256);
    expect((await memoryOf(pid)).peakMib).toBeGreaterThan(256);
    await forgetPeak(pid);
    expect((await memoryOf(pid)).peakMib).toBeLessThan(256);
  } finally {
    child.kill("SIGKILL");
  }
});

it.each([
  [mostMib - 1, []],
  [mostMib, []],
  [mostMib + 1, ["gateway: 229 MiB, 100 at rest"]],
])("names processes that took %i MiB more than at rest: %j", (more, names) => {
  const taken = { gateway: { idleMib: 100, peakMib: 100 + more }, ingress: { idleMib: 90, peakMib: 95 } };
  expect(tooLarge(taken)).toEqual(names);
});
