import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { run } from "./command.ts";
import { withLock } from "./lock.ts";
import { mountingCommand } from "./mounting.ts";
import { onLinux } from "./on-linux.ts";

const silent = (): void => undefined;
const mounting = await mountingCommand();
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lock-"));
  path = join(folder, "deeper", "a.lock");
});
afterEach(() => rm(folder, { recursive: true }));

describe("withLock", () => {
  it("lets one in at a time", async () => {
    const order: string[] = [];
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<undefined>();
    const { promise: isIn, resolve: enter } = Promise.withResolvers<undefined>();
    const first = withLock(path, silent, async () => {
      enter(undefined);
      await mayEnd;
      order.push("first ends");
    });
    await isIn;
    const second = withLock(path, silent, () => Promise.resolve(order.push("second begins")));
    end(undefined);
    await Promise.all([first, second]);
    expect(order).toEqual(["first ends", "second begins"]);
  });

  it("gives the result and leaves no file", async () => {
    await expect(withLock(path, silent, () => Promise.resolve(7))).resolves.toBe(7);
    await expect(readdir(join(folder, "deeper"))).resolves.toEqual([]);
  });

  it("is free again after work that failed", async () => {
    await expect(withLock(path, silent, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(withLock(path, silent, () => Promise.resolve("yes"))).resolves.toBe("yes");
  });

  it("takes over the lock of a process that was killed", async () => {
    const { pid } = spawnSync("true");
    const abandoned = join(folder, "b.lock");
    await symlink(String(pid), abandoned);
    await expect(withLock(abandoned, silent, () => Promise.resolve("in"))).resolves.toBe("in");
  });

  it.each([
    ["with its name", () => String(spawnSync("true").pid)],
    ["on a full disk", () => ""],
  ])("takes over the file that an earlier version left %s", async (_name, holder) => {
    const abandoned = join(folder, "d.lock");
    await writeFile(abandoned, holder());
    await expect(withLock(abandoned, silent, () => Promise.resolve("in"))).resolves.toBe("in");
    await expect(readdir(folder)).resolves.toEqual([]);
  });

  it.runIf(mounting)("is to be had on a full disk, and given back there", async () => {
    const module = JSON.stringify(join(import.meta.dirname, "lock.ts"));
    const program = `const { withLock } = await import(${module});
      const path = ${JSON.stringify(join(folder, "e.lock"))};
      for (const word of ["once", "twice"]) await withLock(path, () => undefined, async () => console.log(word));`;
    const [command = "", ...args] = mounting ?? [];
    const script = 'mount -t tmpfs -o size=64k tmpfs "$1"; cat /dev/zero > "$1/full" 2>/dev/null; shift; "$@"';
    const node = [process.execPath, "--input-type=module", "--eval", program];
    await expect(run(command, [...args, "sh", "-c", script, "sh", folder, ...node])).resolves.toBe("once\ntwice\n");
  });

  it.runIf(onLinux("/proc, which tells when a process began"))(
    "takes over a lock whose holder's id another process has by now",
    async () => {
      const abandoned = join(folder, "c.lock");
      await symlink(`${process.ppid} 1`, abandoned);
      await expect(withLock(abandoned, silent, () => Promise.resolve("in"))).resolves.toBe("in");
    },
  );
});
