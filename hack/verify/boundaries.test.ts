import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "boundaries-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
});

afterEach(() => rm(folder, { recursive: true }));

it("forbids what each rule names, and nothing else", async () => {
  const files = {
    "tsconfig.json": "{}",
    "hack/lib/run.ts": "export {};",
    "hack/cluster/cluster.ts": `import "./native/node.ts";`,
    "hack/cluster/native/node.ts": `import "../../lib/run.ts";`,
    "hack/cluster/native/reaches-up.ts": `import "../../../test/support/world.ts";`,
    "hack/demo/story.ts": `import "../cluster/cluster.ts";`,
    "test/support/world.ts": `import "../../hack/cluster/cluster.ts";`,
    "test/e2e/reaches-in.ts": `import "../../hack/cluster/native/node.ts";`,
    "test/e2e/of-the-demo.ts": `import "../../hack/demo/story.ts";`,
    "test/e2e/one.ts": `import "./other.ts";`,
    "test/e2e/other.ts": `import "./one.ts";`,
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${text}\n`);
  }

  const args = ["hack", "test", "--config", join(root, "hack/verify/boundaries.cjs"), "--output-type", "json"];
  const { stdout } = await promisify(execFile)(join(root, "node_modules/.bin/depcruise"), args, { cwd: folder }).catch(
    // It ends with the number of violations.
    (error: unknown) => error as { stdout: string },
  );

  const { summary } = JSON.parse(stdout) as { summary: { violations: { from: string; rule: { name: string } }[] } };
  expect(summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`).sort()).toEqual([
    "cluster-depends-downwards: hack/cluster/native/reaches-up.ts",
    "cluster-has-one-entry: test/e2e/reaches-in.ts",
    "no-cycles: test/e2e/one.ts",
    "nothing-imports-the-demo: test/e2e/of-the-demo.ts",
  ]);
});
