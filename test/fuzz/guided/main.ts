import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { readCorpus, writeCorpus } from "./corpus.ts";
import { explore } from "./guide.ts";
import { loadInstrumented } from "./instrumented.ts";

// npm run test:fuzz:guided -- [--seconds N] [--target NAME] [--seed N]: seconds are those of each target.
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    target: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (!(seconds > 0) || !Number.isInteger(seed)) {
  console.error("fuzz: --seconds must be a number above 0, --seed a whole number");
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), "runwright-fuzz-"));
try {
  const { targets, coverage } = await loadInstrumented(folder);
  const chosen = targets.filter(({ name }) => values.target === undefined || name === values.target);
  if (chosen.length === 0) {
    console.error(`fuzz: no target ${values.target}; targets are ${targets.map(({ name }) => name).join(", ")}`);
    process.exitCode = 2;
  }
  for (const target of chosen) {
    const endMs = performance.now() + seconds * 1_000;
    const goOn = (): boolean => performance.now() < endMs;
    const { corpus, runs, reached, failure } = await explore(target, coverage, {
      corpus: await readCorpus(target.name),
      seed,
      goOn,
    });
    console.error(
      `fuzz: ${target.name}: ${runs} inputs, seed ${seed}: ${reached} places, ${corpus.length} inputs kept`,
    );
    if (failure) {
      console.error(`fuzz: ${target.name} failed for ${JSON.stringify(failure.input.toString("latin1"))}`);
      console.error(failure.error);
      process.exitCode = 1;
    }
    await writeCorpus(target.name, failure ? [...corpus, failure.input] : corpus);
  }
} finally {
  await rm(folder, { recursive: true });
}
