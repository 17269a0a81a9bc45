import { parseArgs } from "node:util";

import fc from "fast-check";

import { properties } from "./properties.ts";

// npm run test:fuzz -- [--runs N] [--seed N]
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});
const [numRuns, seed] = [Number(values.runs), Number(values.seed)];
for (const { name, property } of properties) {
  console.error(`fuzz: ${name}: ${numRuns} inputs, seed ${seed}`);
  const outcome = fc.check(property, { numRuns, seed });
  if (!outcome.failed) continue;
  console.error(fc.defaultReportMessage(outcome));
  process.exitCode = 1;
}
