import { join } from "node:path";

import { chosenRelease, releaseVariable, whyNoCluster, whyNoControlPlane } from "../cluster/cluster.ts";
import { progressOnStderr } from "../lib/progress.ts";
import { canHaveNetwork, commandApart, commandWithNetwork, whyNotApart } from "./apart.ts";
import { takeFlags } from "./flags.ts";
import { type Footing, type Level, levels } from "./levels.ts";
import { provideForNetwork, whyNoNetwork } from "./network.ts";
import { provideFor } from "./provide.ts";
import { provideForWeb, whyNoEngines, whyNoStorage, whyNoWeb } from "./requirements.ts";
import { addUp, closingLines, type Outcome } from "./summary.ts";
import { inTurn } from "./turn.ts";
import { runProjects, type VitestRun } from "./vitest.ts";

/** What a footing needs of this machine. */
interface Needs {
  /** Why this machine cannot give it; undefined: it can. */
  whyNot: () => Promise<string | undefined>;
  /** Where it cannot, a run of several levels says so, and nothing has failed. */
  isOptional?: boolean;
  /** Control planes alone, of which there are several versions. */
  hasVersions?: boolean;
  /** Brings what is needed of elsewhere, for tests whose network leads nowhere. */
  provide?: () => Promise<void>;
  around?: VitestRun["around"];
}

const needs: Readonly<Record<Footing, Needs>> = {
  nothing: { whyNot: () => Promise.resolve(undefined) },
  storage: { whyNot: whyNoStorage },
  controlPlane: { whyNot: whyNoControlPlane, hasVersions: true },
  programs: { whyNot: whyNoControlPlane, hasVersions: true },
  engines: { whyNot: whyNoEngines, hasVersions: true },
  browser: {
    whyNot: whyNoWeb,
    provide: provideForWeb,
    around: (await canHaveNetwork()) ? commandWithNetwork : undefined,
  },
  cluster: { whyNot: whyNoCluster },
  network: { whyNot: whyNoNetwork, isOptional: true, provide: provideForNetwork, around: commandApart },
  docker: { whyNot: whyNotApart, isOptional: true },
};

const root = join(import.meta.dirname, "..", "..");
const { args, isAll, version } = readArguments();
const wanted = args[0]?.startsWith("-") === false ? args.shift() : undefined;
const chosen = chooseLevels();

const outcomes: Outcome[] = [];
const notRun: string[] = [];
let missing = 0;

const withoutServers = chosen.filter(({ footing }) => footing === "nothing");
const withServers = chosen.filter(({ footing }) => footing !== "nothing");
const provided = withoutServers.length > 0 && withServers.length > 0 ? provideFor(withServers) : undefined;
await runBatches(withoutServers);
await provided;
if (withServers.length > 0) await inTurn(progressOnStderr("tests"), () => runBatches(withServers));

for (const line of notRun) console.log(line);
const inCi = !["", "0", "false"].includes(process.env.CI ?? "");
if (inCi && missing > 0)
  console.log("In CI what was not run has failed, but for test:network and test:docker as parts of test:all.");
const total = addUp(outcomes, inCi ? missing : 0);
for (const line of closingLines(total)) console.log(line);
process.exitCode = total.failed > 0 ? 1 : 0;

/** The levels of this run; ends the process where the command line names none. */
function chooseLevels(): readonly Level[] {
  const possible = levels.filter(({ footing }) => version === undefined || needs[footing].hasVersions === true);
  const named = possible.filter(({ name, isLong }) => (wanted === undefined ? isAll || !isLong : name === wanted));
  if (named.length > 0) return named;
  const which = version === undefined ? "levels are" : "levels with --kubernetes are";
  console.error(`there is no level "${String(wanted)}"; ${which} ${possible.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

async function runBatches(some: readonly Level[]): Promise<void> {
  for (const batch of Map.groupBy(some, (level) => level.batch).values()) {
    const runnable: Level[] = [];
    for (const level of batch) {
      const { name, footing } = level;
      const { whyNot, isOptional, provide } = needs[footing];
      const reason = (await whyNot()) ?? (await whyNotProvided(provide));
      if (reason === undefined) {
        runnable.push(level);
        continue;
      }
      notRun.push(`test:${name} was not run: ${reason}`);
      if (!isOptional || wanted !== undefined) missing += 1;
    }
    const runs = [...Map.groupBy(runnable, (level) => level.vitest).values()];
    outcomes.push(...(await runProjects(root, runs.map(runOf), args)));
  }
}

/** Levels of one run have one footing where that has something of its own. */
function runOf(some: readonly Level[]): VitestRun {
  const [first] = some;
  return { projects: some.map(({ name }) => name), around: first && needs[first.footing].around };
}

/** The command line; a version of Kubernetes in it is for this process and its children. */
function readArguments(): ReturnType<typeof takeFlags> {
  try {
    const taken = takeFlags(process.argv.slice(2));
    if (taken.version !== undefined) process.env[releaseVariable] = taken.version;
    const release = chosenRelease();
    if (release !== undefined) console.log(`against Kubernetes ${release.version}`);
    return taken;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

/** Why what a level needs cannot be had; undefined when all of it is there. */
async function whyNotProvided(provide: Needs["provide"]): Promise<string | undefined> {
  try {
    await provide?.();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
