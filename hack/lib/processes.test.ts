import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

import { describe, expect, it } from "vitest";

import { isRunning, killProcesses } from "./processes.ts";

describe("isRunning", () => {
  it("knows this process, and one that has ended", () => {
    expect(isRunning(process.pid)).toBe(true);
    expect(isRunning(spawnSync("true").pid)).toBe(false);
  });
});

describe("killProcesses", () => {
  it("resolves when all are gone, and minds none that is gone already", async () => {
    const child = spawn("sleep", ["60"]);
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    await killProcesses([pid, spawnSync("true").pid]);
    expect(isRunning(pid)).toBe(false);
  });
});
