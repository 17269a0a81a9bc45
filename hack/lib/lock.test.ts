import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { withLock } from "./lock.ts";
import { onLinux } from "./on-linux.ts";

const silent = (): void => undefined;
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
    await writeFile(abandoned, String(pid));
    await expect(withLock(abandoned, silent, () => Promise.resolve("in"))).resolves.toBe("in");
  });

  it.runIf(onLinux("/proc, which tells when a process began"))(
    "takes over a lock whose holder's id another process has by now",
    async () => {
      const abandoned = join(folder, "c.lock");
      await writeFile(abandoned, `${process.ppid} 1`);
      await expect(withLock(abandoned, silent, () => Promise.resolve("in"))).resolves.toBe("in");
    },
  );
});
