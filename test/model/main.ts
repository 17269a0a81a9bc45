import { parseArgs } from "node:util";

import { startEquippedControlPlane } from "../support/control-plane.setup.ts";
import { campaign, report } from "./campaign.ts";
import { openCommons } from "./commons.ts";

// npm run test:model -- [--sequences N] [--seed N] [--steps N] [--lanes N]
const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    steps: { type: "string", default: "30" },
    lanes: { type: "string", default: "16" },
  },
});
const [sequences = 0, seed = 0, steps = 0, lanes = 0] = [values.sequences, values.seed, values.steps, values.lanes].map(
  wholeNumber,
);
/** A control plane keeps all that was ever stored on it, so long campaigns go on with a new one now and then. */
const sequencesAPlane = 500;

console.error(`model: ${sequences} sequences of ${steps} steps, seed ${seed}, ${lanes} beside each other`);
const startMs = performance.now();
let played = 0;
while (played < sequences && process.exitCode === undefined) {
  const part = Math.min(sequencesAPlane, sequences - played);
  for (const finding of await playPart(seed + played, part)) {
    console.error(report(finding));
    process.exitCode = 1;
  }
  played += part;
}
if (process.exitCode === undefined) console.error(`model: all invariants hold, after ${elapsed()}`);

async function playPart(firstSeed: number, count: number): ReturnType<typeof campaign> {
  const plane = await startEquippedControlPlane();
  try {
    const commons = await openCommons(plane);
    const tell = (done: number): void => {
      if (done % 50 === 0 || done === count) console.error(`model: ${played + done} of ${sequences}, ${elapsed()}`);
    };
    const findings = await campaign({ commons, seed: firstSeed, sequences: count, steps, lanes, played: tell });
    await commons.close();
    return findings;
  } finally {
    await plane.stop();
  }
}

function wholeNumber(text: string): number {
  if (/^[0-9]+$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a whole number`);
}

function elapsed(): string {
  return `${((performance.now() - startMs) / 1_000).toFixed(0)} s`;
}
