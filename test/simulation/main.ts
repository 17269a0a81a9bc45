import { parseArgs } from "node:util";

import { plantedBugs } from "./planted-bugs.ts";
import { playHistories } from "./play-histories.ts";

/** Plays histories of many seeds: `node hack/run.mjs test/simulation/main.ts [--from 1] [--count 1000] [--steps 500]`. */
const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    steps: { type: "string", default: "500" },
    bug: { type: "string" },
  },
});
const [from = 0, count = 0, steps = 0] = (["from", "count", "steps"] as const).map((name) => {
  if (/^[1-9][0-9]*$/.test(values[name])) return Number(values[name]);
  throw new Error(`--${name} is ${JSON.stringify(values[name])}, but it must be a whole number of at least 1`);
});
const { bug } = values;
if (bug !== undefined && !plantedBugs.some(({ name }) => name === bug)) {
  const names = plantedBugs.map(({ name }) => JSON.stringify(name)).join(", ");
  throw new Error(`--bug is ${JSON.stringify(bug)}, but it must be one of ${names}`);
}
const startMs = performance.now();
const histories = await playHistories({ from, count, steps, bug, onPlayed: ({ failure }) => tell(failure) });
const failed = histories.filter(({ failure }) => failure !== undefined);
const events = histories.reduce((sum, history) => sum + history.events, 0);
const seconds = (performance.now() - startMs) / 1_000;
console.log(`${count} histories, ${events} events, ${failed.length} failed: ${seconds.toFixed(1)} s`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** All of what happened where few are played, else what was wrong alone. */
function tell(failure: string | undefined): void {
  if (failure !== undefined) console.log(count <= 3 ? failure : failure.split("\n")[0]);
}
