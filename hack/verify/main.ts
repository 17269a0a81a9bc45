import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { judgeAlerts } from "./alerts.ts";
import { isInstallManifestFresh } from "../manifests/install.ts";
import { lintChart } from "./chart.ts";
import { judgeSharedFiles } from "./shared-files.ts";

/** One check: `run` gives undefined when all is well, else what a person should do about it. */
interface Step {
  name: string;
  run: () => Promise<string | undefined>;
}

const root = join(import.meta.dirname, "..", "..");

/** TypeScript 7. `tsc` of node_modules/.bin is 6, which dependency-cruiser and openapi-typescript use as a library. */
const compiler = "node_modules/typescript-7/bin/tsc";

/** The longest first. */
const steps: readonly Step[] = [
  tool("lint", ["oxlint"], "Fix the lint errors above; `npx oxlint --fix` fixes some by itself."),
  tool("format", ["prettier", "--check", "."], "Run `npm run format` and commit what it changed."),
  types("types", "."),
  tool(
    "boundaries",
    ["depcruise", "src", "hack", "test", "bench", "--config", ".dependency-cruiser.cjs"],
    "Turn the imports above around: .dependency-cruiser.cjs says which folder may import which.",
  ),
  { name: "shared files are shared", run: judgeSharedFiles },
  tool("unused code", ["knip"], "Remove what is listed above, or use it."),
  types("types of browser tests", "test/web"),
  types("types of the page's bench", "bench/web"),
  tool(
    "generated files are fresh",
    ["node", "src/codegen/main.ts", "--check"],
    "Run `npm run generate`, look at what it changed and commit it.",
  ),
  tool(
    "links of the documentation",
    ["remark", ".", "--quiet", "--frail", "--ignore-pattern", "dist"],
    "Fix the links above: the page or heading that they name is not there.",
  ),
  types("types of the web page", "src/page"),
  { name: "chart", run: lintChart },
  {
    name: "manifests/install.yaml is the rendered chart",
    run: async () =>
      (await isInstallManifestFresh()) ? undefined : "Run `npm run generate` and commit what it changed.",
  },
  { name: "alert rules", run: judgeAlerts },
];

const remedies: string[] = [];
const waiting = [...steps];
// As many at once as there are processors; each says at its end what it has to say.
await Promise.all(Array.from({ length: availableParallelism() }, work));
if (remedies.length > 0) {
  console.error(`\n${remedies.join("\n")}`);
  process.exit(1);
}
console.error("verify: all is well");

async function work(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const startedMs = performance.now();
    const remedy = await step.run();
    console.error(`verify: ${step.name} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
    if (remedy !== undefined) remedies.push(`verify failed at "${step.name}". ${remedy}`);
  }
}

/** One checker a project: each further one infers again what the others have inferred, and the processors have other checks to run. */
function types(name: string, project: string): Step {
  return tool(name, ["node", compiler, "--checkers", "1", "--project", project], "Fix the type errors above.");
}

function tool(name: string, [program, ...args]: readonly [string, ...string[]], remedy: string): Step {
  return {
    name,
    run: async () => {
      const { status, output } = await runToEnd(program, args);
      process.stderr.write(output);
      return status === 0 ? undefined : remedy;
    },
  };
}

/** Runs a program; gives all that it wrote, in its order. */
function runToEnd(program: string, args: readonly string[]): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
  });
}
