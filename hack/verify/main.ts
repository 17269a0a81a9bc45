import { spawn } from "node:child_process";
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

const steps: readonly Step[] = [
  tool(
    "generated files are fresh",
    ["node", "src/codegen/main.ts", "--check"],
    "Run `npm run generate`, look at what it changed and commit it.",
  ),
  tool("types", ["tsc", "--project", "."], "Fix the type errors above."),
  tool("types of the web page", ["tsc", "--project", "src/page"], "Fix the type errors above."),
  tool("types of browser tests", ["tsc", "--project", "test/web"], "Fix the type errors above."),
  tool("types of the page's bench", ["tsc", "--project", "bench/web"], "Fix the type errors above."),
  tool("lint", ["eslint", "."], "Fix the lint errors above; `npx eslint . --fix` fixes some by itself."),
  tool("format", ["prettier", "--check", "."], "Run `npm run format` and commit what it changed."),
  tool(
    "boundaries",
    ["depcruise", "src", "hack", "test", "bench", "--config", ".dependency-cruiser.cjs"],
    "Turn the imports above around: .dependency-cruiser.cjs says which folder may import which.",
  ),
  { name: "shared files are shared", run: judgeSharedFiles },
  tool("unused code", ["knip"], "Remove what is listed above, or use it."),
  { name: "chart", run: lintChart },
  tool(
    "links of the documentation",
    ["remark", ".", "--quiet", "--frail", "--ignore-pattern", "dist"],
    "Fix the links above: the page or heading that they name is not there.",
  ),
  {
    name: "manifests/install.yaml is the rendered chart",
    run: async () =>
      (await isInstallManifestFresh()) ? undefined : "Run `npm run generate` and commit what it changed.",
  },
  { name: "alert rules", run: judgeAlerts },
];

for (const [index, step] of steps.entries()) {
  console.error(`verify ${index + 1}/${steps.length}: ${step.name}`);
  const remedy = await step.run();
  if (remedy !== undefined) {
    console.error(`\nverify failed at "${step.name}". ${remedy}`);
    process.exit(1);
  }
}
console.error("verify: all is well");

function tool(name: string, command: readonly [string, ...string[]], remedy: string): Step {
  return {
    name,
    run: () =>
      new Promise((resolve, reject) => {
        const [program, ...args] = command;
        const child = spawn(program, args, { cwd: root, stdio: "inherit" });
        child.on("error", reject);
        child.on("exit", (status) => resolve(status === 0 ? undefined : remedy));
      }),
  };
}
