import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function launch(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, "hack", "run.mjs"), ...args], { encoding: "utf8" });
}
