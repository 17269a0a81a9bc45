import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

import type { WorkContext } from "../work-context.ts";
import { findProgram } from "./find-program.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runwright-program-"));
  for (const folder of ["bin", "bin/folder", "scripts"]) mkdirSync(join(root, folder));
  for (const [path, mode] of [
    ["bin/agent", 0o755],
    ["bin/no-bit", 0o644],
    ["scripts/agent.sh", 0o755],
    ["scripts/no-bit.sh", 0o644],
    ["scripts/my agent.sh", 0o644],
  ] as const) {
    writeFileSync(join(root, path), "#!/bin/sh\n");
    chmodSync(join(root, path), mode);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function found(program: string): Promise<string | undefined> {
  const context = {
    agent: {
      introduction: { workspace: root },
      run({ command: [bash = "", ...args], cwd }: { command: string[]; cwd: string }) {
        const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:${join(root, "bin")}` };
        const child = spawn(bash, args, { cwd, env, stdio: "ignore" });
        return { ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, signal: null }))) };
      },
    },
    bundle: { repositories: [], agent: { command: [program, "--flag"] } },
    environment: {},
  };
  return findProgram(context as unknown as WorkContext);
}

it.each(["agent", "scripts/agent.sh", "./scripts/agent.sh", "bash"])("finds %s", async (program) => {
  expect(await found(program)).toBeUndefined();
});

it.each(["none", "scripts/none.sh", "folder", "scripts", ""])("finds no program %j", async (program) => {
  expect(await found(program)).toBe(`there is no program ${JSON.stringify(program)}`);
});

it.each(["no-bit", "scripts/no-bit.sh", "./scripts/no-bit.sh", "scripts/my agent.sh"])(
  "says that %s lacks its executable bit",
  async (program) => {
    expect(await found(program)).toBe(
      `${JSON.stringify(program)} is there and may not be executed: set its executable bit (chmod +x, and git update-index --chmod=+x), or name its interpreter first in agent.command`,
    );
  },
);
