import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "launcher-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the launcher", () => {
  it("runs a TypeScript file with its arguments under Node 24, and prints nothing itself", () => {
    const program = write("print.ts", 'console.log(process.versions.node.split(".")[0], process.argv[2] as string);');
    expect(launch(program, "word")).toMatchObject({ status: 0, stdout: "24 word\n" });
  });

  it("runs a program of the dependencies", () => {
    expect(launch("tsc", "--version").stdout).toMatch(/^Version \d/);
  });

  it("puts the dependencies' programs first on PATH", () => {
    const program = write("path.ts", "console.log(process.env.PATH);");
    expect(launch(program).stdout).toContain(join(root, "node_modules", ".bin"));
  });

  it("ends with the program's status", () => {
    expect(launch(write("fail.ts", "process.exit(7);")).status).toBe(7);
  });

  it("ends as shells do when a signal ended the program", () => {
    expect(launch(write("kill.ts", 'process.kill(process.pid, "SIGKILL");')).status).toBe(128 + 9);
  });

  it("says how it is used when no program is named", () => {
    expect(launch()).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("usage") as string });
  });
});

describe("what is in the way of the dependencies", () => {
  it.each([
    ["the disk is full", "npm error code ENOSPC", "the disk is full: make room in "],
    ["the proxy wants a password", "npm error code E407", "the proxy wants a user and a password: put them into "],
    ["there is no network", "npm error code ENOTFOUND", "npm's registry cannot be reached: try again with a network"],
  ])("where %s, one sentence says so, and the next try works", (_name, said, want) => {
    const checkout = makeCheckout(`echo '${said}' >&2; echo 'npm error more' >&2; exit 1`);
    const { status, stderr } = checkout.launch();
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(want) as string });
    expect(stderr).not.toContain("npm error");
    checkout.replaceNpm(installing);
    expect(checkout.launch()).toMatchObject({ status: 0, stdout: "started\n" });
  });

  it("shows what npm says of all else", () => {
    const { status, stderr } = makeCheckout("echo 'npm error code EUSAGE' >&2; exit 1").launch();
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("EUSAGE") as string });
  });

  it("after Ctrl-C the next try works", async () => {
    const checkout = makeCheckout("mkdir -p node_modules; echo begun; exec sleep 60");
    const child = spawn(process.execPath, checkout.command, { env: checkout.env });
    child.stderr.setEncoding("utf8");
    let said = "";
    child.stderr.on("data", (text: string) => {
      said += text;
      if (text.includes("begun")) child.kill("SIGINT");
    });
    const [status] = (await once(child, "close")) as [number];
    expect({ status, said }).toMatchObject({ status: 1, said: expect.stringContaining("was interrupted") as string });
    checkout.replaceNpm(installing);
    expect(checkout.launch()).toMatchObject({ status: 0, stdout: "started\n" });
  });
});

/** What npm leaves of the one dependency that {@link makeCheckout} locks. */
const installing = `mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json`;

interface Checkout {
  command: string[];
  env: NodeJS.ProcessEnv;
  replaceNpm: (script: string) => void;
  launch: () => SpawnSyncReturns<string>;
}

/** A checkout with the launcher, one dependency and a program that says that it was started; npm is the script. */
function makeCheckout(npm: string): Checkout {
  const checkout = mkdtempSync(join(folder, "checkout-"));
  for (const name of ["hack", "programs"]) mkdirSync(join(checkout, name));
  copyFileSync(join(root, "hack", "run.mjs"), join(checkout, "hack", "run.mjs"));
  const packages = { "": {}, "node_modules/one": { version: "1.0.0" } };
  writeFileSync(join(checkout, "package-lock.json"), JSON.stringify({ packages }));
  writeFileSync(join(checkout, "hack", "program.mjs"), 'console.log("started");');
  const replaceNpm = (script: string): void =>
    writeFileSync(join(checkout, "programs", "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  replaceNpm(npm);
  const command = [join(checkout, "hack", "run.mjs"), "hack/program.mjs"];
  const env = { ...process.env, PATH: [join(checkout, "programs"), process.env.PATH].join(delimiter) };
  return {
    command,
    env,
    replaceNpm,
    launch: () => spawnSync(process.execPath, command, { encoding: "utf8", env }),
  };
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function launch(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, "hack", "run.mjs"), ...args], { encoding: "utf8" });
}
