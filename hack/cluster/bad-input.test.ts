import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { run } from "../lib/command.ts";
import { interruptAt } from "../lib/interrupt-at.ts";
import { mountingCommand } from "../lib/mounting.ts";
import { linkPrograms } from "../lib/programs-folder.ts";
import { startLocalProxy } from "../toolchain/fetch/local-proxy.ts";
import { proxyRemedy } from "../toolchain/obstacles.ts";

// The program behind npm run cluster, with stand-ins for docker, kind and kubectl that do as little as those do when all is well.

const program = join(import.meta.dirname, "main.ts");
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const mounting = await mountingCommand();

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cluster-program-"));
  for (const name of ["programs", "cache", "at"]) await mkdir(join(folder, name));
  await linkPrograms(join(folder, "programs"), ["cat", "mount", "rm", "sh", "sleep", "touch", "unshare"]);
  const hang = (place: string): string => `if [ -e "$AT/${place}" ]; then exec sleep 60; fi`;
  await standIn("docker", [
    'case "$*" in',
    "info*) echo 27.0 ;;",
    `*deployment/coredns*) ${hang("dns")} ;;`,
    '*) [ -e "$AT/up" ] ;;',
    "esac",
  ]);
  await standIn("kind", [
    'case "$1" in',
    `create) ${hang("create")}; echo text > "$6" && touch "$AT/up" ;;`,
    `delete) ${hang("delete")}; rm -f "$AT/up" ;;`,
    "esac",
  ]);
  await standIn("kubectl", ["true"]);
  env = {
    AT: join(folder, "at"),
    RUNWRIGHT_CACHE: join(folder, "cache"),
    PATH: join(folder, "programs"),
  };
});
afterEach(() => rm(folder, { recursive: true }));

describe("after Ctrl-C the next try works", () => {
  it.each([
    { step: "creating a kind cluster", place: "create" },
    { step: "waiting for the cluster's DNS", place: "dns" },
  ])("at: $step", async ({ step, place }) => {
    await writeFile(join(folder, "at", place), "");
    expect(await interruptAt(step, [program, "up"], env)).toEqual({
      status: 130,
      said: expect.stringMatching(
        /\ninterrupted: the next npm run cluster -- up makes anew what is half made, and npm run cluster -- down takes it away\n$/,
      ) as string,
    });
    await rm(join(folder, "at", place));
    await expect(cluster("up")).resolves.toBe(`export KUBECONFIG=${kubeconfig()}\n`);
  });

  it("at: deleting the kind cluster", async () => {
    await cluster("up");
    await writeFile(join(folder, "at", "delete"), "");
    expect(await interruptAt("deleting the kind cluster", [program, "down"], env)).toMatchObject({ status: 130 });
    await rm(join(folder, "at", "delete"));
    await cluster("down");
    expect(existsSync(join(folder, "at", "up"))).toBe(false);
  });
});

describe("without kind and Go", () => {
  const elsewhere = (): string => join(folder, "kind");
  const onPath = (): string => join(folder, "programs", "kind");
  beforeEach(() => rename(onPath(), elsewhere()));

  it("one sentence says that the proxy wants a password, and once kind is there it is used", async () => {
    const proxy = await startLocalProxy("user:password");
    onTestFinished(() => proxy.stop());
    const through = { HTTPS_PROXY: proxy.origin, https_proxy: proxy.origin, NO_PROXY: "", no_proxy: "" };
    await expect(cluster("up", through)).rejects.toMatchObject({
      message: expect.stringContaining(`(${proxyRemedy}) and there is no Go: install Go 1.25 or newer`) as string,
    });
    expect(proxy.passed).toEqual([expect.stringMatching(/^CONNECT /)]);
    await rename(elsewhere(), onPath());
    await expect(cluster("up")).resolves.toBe(`export KUBECONFIG=${kubeconfig()}\n`);
  });

  it("one sentence says that nothing listens where the way leads", async () => {
    const proxy = await startLocalProxy();
    await proxy.stop();
    const through = { HTTPS_PROXY: proxy.origin, https_proxy: proxy.origin, NO_PROXY: "", no_proxy: "" };
    await expect(cluster("up", through)).rejects.toMatchObject({
      message: expect.stringMatching(
        /kind [\d.]+ was not downloaded \(\S+ cannot be reached \(.*\)\) and there is no Go: /,
      ) as string,
    });
  });
});

it.runIf(mounting)("says that the disk is full, and starts once there is room", async () => {
  const [command = "", ...args] = mounting ?? [];
  const script = `exec 2>&1; cache="$RUNWRIGHT_CACHE"
    mount -t tmpfs -o size=64k tmpfs "$cache"; cat /dev/zero > "$cache/full" 2>/dev/null
    "$@"; echo "status $?"
    rm "$cache/full"
    "$@"; echo "status $?"`;
  const said = await run(command, [...args, "sh", "-c", script, "sh", process.execPath, program, "up"], { env });
  const sentence = `the disk is full while starting the local cluster in ${join(folder, "cache")}: make room there and try again`;
  expect(said.split("\n").filter((line) => !line.startsWith("[cluster"))).toEqual([
    sentence,
    "status 1",
    `export KUBECONFIG=${kubeconfig()}`,
    "status 0",
    "",
  ]);
});

function cluster(command: string, more: Record<string, string> = {}): Promise<string> {
  return run(process.execPath, [program, command], { env: { ...env, ...more } });
}

function kubeconfig(): string {
  return join(folder, "cache", "kind", "kubeconfig");
}

async function standIn(name: string, lines: readonly string[]): Promise<void> {
  await writeFile(join(folder, "programs", name), ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
}
