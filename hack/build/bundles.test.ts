import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildBundles } from "./bundles.ts";

let folder: string;

beforeAll(async () => {
  // Outside the checkout, so that nothing is found in its node_modules.
  folder = join(await mkdtemp(join(tmpdir(), "bundles-")), "dist");
  await buildBundles(folder);
}, 60_000);
afterAll(() => rm(join(folder, ".."), { recursive: true }));

describe("the bundles", () => {
  it("are these three files", async () => {
    expect((await readdir(folder)).sort()).toEqual(["kubectl-runwright.mjs", "runwright-sandbox.mjs", "runwright.mjs"]);
  });

  it.each(["kubectl-runwright.mjs", "runwright-sandbox.mjs", "runwright.mjs"])(
    "%s can be executed and loads without node_modules",
    async (name) => {
      const path = join(folder, name);
      expect((await stat(path)).mode & 0o111).toBe(0o111);
      // An argument that none of them knows: each must get as far as refusing it in its own words.
      const { status, stderr } = spawnSync(process.execPath, [path, "no-such-word"], { encoding: "utf8", cwd: folder });
      expect(status).toBeGreaterThan(0);
      expect(stderr).toMatch(/runwright: the first argument|usage: runwright-sandbox|no-such-word/);
      expect(stderr).not.toMatch(/ERR_MODULE_NOT_FOUND|ReferenceError|SyntaxError/);
    },
  );
});
