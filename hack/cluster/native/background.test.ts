import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { onLinux } from "../../lib/on-linux.ts";
import { killProcesses } from "../../lib/processes.ts";
import { waitUntil } from "../../lib/wait.ts";
import { killBackground, readBackground, readLogEnd, restartBackground, startBackground } from "./background.ts";
import { layoutIn, type Layout } from "./layout.ts";

let layout: Layout;
beforeEach(async () => {
  layout = layoutIn(await mkdtemp(join(tmpdir(), "background-")));
});
afterEach(async () => {
  await killProcesses([...(await readBackground(layout)).values()].filter((pid) => pid !== undefined));
  await rm(layout.state, { recursive: true });
});

describe.runIf(onLinux("/proc, which tells when a process began"))("background programs", () => {
  it("are known by name while they run", async () => {
    await startBackground(layout, "sleeper", "/bin/sleep", ["60"]);
    const pid = (await readBackground(layout)).get("sleeper") ?? 0;
    expect(pid).toBeGreaterThan(0);
    await killBackground(layout, "sleeper");
    expect([...(await readBackground(layout)).entries()]).toEqual([["sleeper", undefined]]);
    await killBackground(layout, "sleeper");
  });

  it("are not confused with a later process of the same id", async () => {
    await startBackground(layout, "sleeper", "/bin/sleep", ["60"]);
    const pid = (await readBackground(layout)).get("sleeper") ?? 0;
    const file = join(layout.processes, "sleeper");
    await writeFile(file, (await readFile(file, "utf8")).replace(/"startTime":"\d+"/, '"startTime":"1"'));
    expect((await readBackground(layout)).get("sleeper")).toBeUndefined();
    await killProcesses([pid]);
  });

  it("survive a record that was cut short", async () => {
    await startBackground(layout, "sleeper", "/bin/sleep", ["0"]);
    await writeFile(join(layout.processes, "sleeper"), '{"pid":');
    expect((await readBackground(layout)).get("sleeper")).toBeUndefined();
  });

  it("are started again as they were", async () => {
    const hasSaid = (text: string): Promise<void> =>
      waitUntil(
        async () => (await readLogEnd(layout, "talker")) === text,
        5_000,
        () => readLogEnd(layout, "talker"),
      );
    await startBackground(layout, "talker", "/bin/sh", ["-c", 'echo "$0"', "again"]);
    await hasSaid("again\n");
    await restartBackground(layout, "talker");
    await hasSaid("again\nagain\n");
    await expect(restartBackground(layout, "stranger")).rejects.toThrow("stranger was never started");
  });

  it("keep what they print", async () => {
    await startBackground(layout, "talker", "/bin/sh", ["-c", "echo out; echo err >&2"]);
    const hasBoth = async (): Promise<boolean> => (await readLogEnd(layout, "talker")).includes("out\nerr");
    await waitUntil(hasBoth, 5_000, () => readLogEnd(layout, "talker"));
  });
});
