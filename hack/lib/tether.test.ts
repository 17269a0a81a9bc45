import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { onLinux } from "./on-linux.ts";
import { isRunning, killProcesses } from "./processes.ts";
import { startTethered } from "./tether.ts";
import { waitUntil } from "./wait.ts";

describe("startTethered", () => {
  it("tells how the program ended", async () => {
    const program = await startTethered("/bin/sh", ["-c", "exit 4"], "/dev/null");
    await waitUntil(
      () => Promise.resolve(program.ended() !== undefined),
      5_000,
      () => Promise.resolve("it ends"),
    );
    expect(program.ended()).toBe("status 4");
  });

  it("stops a program that does not want to", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tether-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const log = join(folder, "log");
    const script = "trap '' TERM; echo deaf; while :; do sleep 1; done";
    const program = await startTethered("/bin/sh", ["-c", script], log);
    const isDeaf = async (): Promise<boolean> => (await readFile(log, "utf8")).includes("deaf");
    await waitUntil(isDeaf, 5_000, () => Promise.resolve("it refuses to end"));
    expect(program.ended()).toBeUndefined();
    await program.stop(50);
    expect(program.ended()).toBe("signal SIGKILL");
  });

  it("refuses a program that is not there", async () => {
    const program = await startTethered("/no/such/program", [], "/dev/null").catch((error: unknown) => error);
    // setpriv starts and then fails; without it the start itself does.
    if (program instanceof Error) return;
    await waitUntil(
      () => Promise.resolve((program as { ended(): unknown }).ended() !== undefined),
      5_000,
      () => Promise.resolve("setpriv fails"),
    );
  });

  it.runIf(onLinux("setpriv, which ends a program with its parent"))(
    "ends the program when this process is killed",
    async () => {
      const module = join(import.meta.dirname, "tether.ts");
      const script = `import { startTethered } from ${JSON.stringify(module)};
      console.log((await startTethered("/bin/sleep", ["60"], "/dev/null")).pid);
      setInterval(() => undefined, 1000);`;
      const parent = spawn(process.execPath, ["--input-type=module", "--eval", script]);
      onTestFinished(() => killProcesses([parent.pid ?? 0]));
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(line.toString());
      expect(isRunning(pid)).toBe(true);
      parent.kill("SIGKILL");
      await waitUntil(
        () => Promise.resolve(!isRunning(pid)),
        5_000,
        () => Promise.resolve(`process ${pid} ends`),
      );
    },
  );
});
