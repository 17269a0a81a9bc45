import { createHash, randomBytes } from "node:crypto";
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { run } from "./lib/command.ts";
import { mountingCommand } from "./lib/mounting.ts";
import { startLocalProxy } from "./toolchain/fetch/local-proxy.ts";
import { startLocalPublisher, type LocalPublisher } from "./toolchain/fetch/local-publisher.ts";

// The launcher with npm itself, which installs one dependency from a registry on loopback.

const launcher = join(import.meta.dirname, "run.mjs");
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const [, nodeVersion = ""] = /^const nodeVersion = "(.+)";$/m.exec(await readFile(launcher, "utf8")) ?? [];
const mounting = await mountingCommand();

let checkout: string;
let registry: LocalPublisher;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), "npm-obstacles-"));
  for (const name of ["hack", "package", "node_modules", "node"]) await mkdir(join(checkout, name));
  await copyFile(launcher, join(checkout, "hack", "run.mjs"));
  await writeFile(join(checkout, "hack", "program.mjs"), 'import "one";\n');
  const archive = await packDependency();
  registry = await startLocalPublisher({ "/one.tgz": archive });
  const resolved = `${registry.origin}/one.tgz`;
  const integrity = digestOf(archive);
  const own = { name: "checkout", version: "1.0.0", dependencies: { one: "1.0.0" } };
  const packages = { "": own, "node_modules/one": { version: "1.0.0", resolved, integrity } };
  await writeFile(join(checkout, "package.json"), JSON.stringify(own));
  await writeFile(join(checkout, "package-lock.json"), JSON.stringify({ ...own, lockfileVersion: 3, packages }));
});
afterEach(async () => {
  await registry.stop();
  await rm(checkout, { recursive: true });
});

it("says that the registry cannot be reached, and then installs", async () => {
  const proxy = await startLocalProxy();
  await proxy.stop();
  const { status, said } = await launch(proxy.origin);
  expect([status, ...linesOf(said)]).toEqual([1, ...lines("npm's registry cannot be reached: try again with")]);
  expect(await launch()).toMatchObject({ status: 0, printed: "started\n" });
});

it("says that the proxy wants a password, and then installs", async () => {
  const proxy = await startLocalProxy("user:password");
  onTestFinished(() => proxy.stop());
  const { status, said } = await launch(proxy.origin);
  expect([status, ...linesOf(said)]).toEqual([1, ...lines("the proxy wants a user and a password: put them into")]);
  const told = proxy.origin.replace("//", "//user:password@");
  expect(await launch(told)).toMatchObject({ status: 0, printed: "started\n" });
  expect(registry.asked).toEqual(["/one.tgz"]);
});

describe("of Node, where the machine's is too old,", () => {
  const path = `/node-linux-${process.arch}/-/node-linux-${process.arch}-${nodeVersion}.tgz`;

  it("uses nothing whose digest is another one", async () => {
    registry.files[path] = await packNode();
    const { status, said } = await launchUnderOldNode();
    expect({ status, said }).toMatchObject({
      status: 1,
      said: expect.stringContaining("names by its digest") as string,
    });
    expect(registry.asked).toContain(path);
    expect(await readdir(join(checkout, "node"))).toEqual([]);
  });

  it("uses what has the digest, and runs no script of it", async () => {
    const archive = await packNode();
    registry.files[path] = archive;
    const script = join(checkout, "hack", "run.mjs");
    const known = new RegExp(`("linux-${process.arch}": )"sha512-[^"]+"`);
    await writeFile(script, (await readFile(script, "utf8")).replace(known, `$1"${digestOf(archive)}"`));
    expect(await launchUnderOldNode()).toMatchObject({ status: 0, printed: "stands in\n" });
    await expect(readFile(join(checkout, "ran"))).rejects.toThrow("ENOENT");
  });

  it("says which Node to install where none is known for the machine", async () => {
    const { status, said } = await launchUnderOldNode("sunos");
    expect({ status, said }).toMatchObject({
      status: 1,
      said: expect.stringContaining("install Node 24.12") as string,
    });
    expect(registry.asked).toEqual([]);
  });
});

it.runIf(mounting)("says that the disk is full, and then installs", async () => {
  const [command = "", ...args] = mounting ?? [];
  const script = `modules="$1"; shift; exec 2>&1
    mount -t tmpfs -o size=1m tmpfs "$modules"
    "$@"; echo "status $?"
    mount -o remount,size=64m "$modules"
    "$@"; echo "status $?"`;
  const node = [process.execPath, ...program()];
  const shell = ["sh", "-c", script, "sh", join(checkout, "node_modules"), ...node];
  const { printed } = await execute(command, [...args, ...shell], environment());
  const [first = "", second] = printed.split("status 1\n");
  expect(linesOf(first)).toEqual(lines(`the disk is full: make room in ${checkout} and try again`));
  expect(second).toMatch(/\nstarted\nstatus 0\n$/);
});

/** The archive of a package that prints a word when it is imported, and of 2 MiB. */
async function packDependency(): Promise<Buffer> {
  const manifest = { name: "one", version: "1.0.0", type: "module", exports: "./index.js" };
  await writeFile(join(checkout, "package", "package.json"), JSON.stringify(manifest));
  await writeFile(join(checkout, "package", "large"), randomBytes(2 * 1024 * 1024));
  await writeFile(join(checkout, "package", "index.js"), 'console.log("started");\n');
  await run("tar", ["-czf", join(checkout, "one.tgz"), "-C", checkout, "package"]);
  return readFile(join(checkout, "one.tgz"));
}

function digestOf(archive: Buffer): string {
  return `sha512-${createHash("sha512").update(archive).digest("base64")}`;
}

/** The archive of a package whose `bin/node` prints a word, and with a script that leaves a file. */
async function packNode(): Promise<Buffer> {
  const folder = join(checkout, "package");
  const manifest = { name: `node-linux-${process.arch}`, version: nodeVersion, bin: { node: "bin/node" } };
  const scripts = { preinstall: `touch ${join(checkout, "ran")}` };
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, scripts }));
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin", "node"), "#!/bin/sh\necho stands in\n", { mode: 0o755 });
  await run("tar", ["-czf", join(checkout, "node.tgz"), "-C", checkout, "package"]);
  return readFile(join(checkout, "node.tgz"));
}

/** The launcher in a Node that says that it is 20.1, on Linux or another system, with a cache of its own. */
async function launchUnderOldNode(platform = "linux"): ReturnType<typeof launch> {
  const old = join(checkout, "old.mjs");
  const claims = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });
    Object.defineProperty(process, "platform", { value: "${platform}" });`;
  await writeFile(old, claims);
  const record = join(checkout, "node_modules", ".package-lock.json");
  await copyFile(join(checkout, "package-lock.json"), record);
  const own = { RUNWRIGHT_CACHE: join(checkout, "node"), npm_config_registry: `${registry.origin}/` };
  return execute(process.execPath, ["--import", old, ...program()], { ...environment(), ...own });
}

function program(): string[] {
  return [join(checkout, "hack", "run.mjs"), "hack/program.mjs"];
}

/** The launcher's lines, without npm's and those that a slow machine adds. */
function linesOf(said: string): string[] {
  return said.split("\n").filter((line) => line.startsWith("[setup") && !line.endsWith(": still going"));
}

/** The lines of the launcher: what it does, and one sentence of what is in the way. */
function lines(what: string): unknown[] {
  return [expect.stringContaining("installing the locked dependencies …"), expect.stringContaining(`failed: ${what}`)];
}

function launch(proxy?: string): Promise<{ status: number; printed: string; said: string }> {
  return execute(process.execPath, program(), environment(proxy));
}

/** This process's environment without what it says of npm and of proxies. */
function environment(proxy?: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|proxy$/i.test(name));
  const settings = { npm_config_cache: join(checkout, "cache"), npm_config_userconfig: join(checkout, "npmrc") };
  return {
    ...Object.fromEntries(own),
    ...settings,
    npm_config_fetch_retries: "0",
    ...(proxy !== undefined && { HTTPS_PROXY: proxy, HTTP_PROXY: proxy }),
  };
}

function execute(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ status: number; printed: string; said: string }> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env }, (_error, printed, said) =>
      resolve({ status: child.exitCode ?? -1, printed, said }),
    );
  });
}
