import { join } from "node:path";

import { chosenRelease, releaseVariable, whyNoCluster, whyNoControlPlane } from "../cluster/cluster.ts";
import { whyNotApart } from "./apart.ts";
import { takeKubernetesVersion } from "./kubernetes-version.ts";
import { provideForNetwork, whyNoNetwork } from "./network.ts";
import { whyNoContract, whyNoStorage, whyNoWeb } from "./requirements.ts";
import { whyTooLate } from "./too-late.ts";
import { addUp, closingLine, type Outcome } from "./summary.ts";
import { runProjects } from "./vitest.ts";

/** A level of tests: a vitest project, and why this machine cannot run it (undefined: it can). */
interface Level {
  project: string;
  /** Levels of one batch run beside each other; each has a server of its own. */
  batch: "unit" | "servers" | "browser" | "cluster" | "attacks" | "network" | "engine";
  whyNot: () => Promise<string | undefined>;
  /** Where it cannot run, or its turn comes late, the run says so, and nothing has failed. */
  isOptional?: boolean;
  /** Runs against control planes alone, of which there are several versions. */
  hasVersions?: boolean;
  /** Brings what it needs of elsewhere: it runs with a network of its own, which leads nowhere. */
  provide?: () => Promise<void>;
}

const levels: readonly Level[] = [
  { project: "unit", batch: "unit", whyNot: () => Promise.resolve(undefined) },
  { project: "storage", batch: "servers", whyNot: whyNoStorage },
  { project: "apiserver", batch: "servers", whyNot: whyNoControlPlane, hasVersions: true },
  { project: "contract", batch: "servers", whyNot: whyNoContract, hasVersions: true },
  { project: "chart", batch: "servers", whyNot: whyNoControlPlane, hasVersions: true },
  { project: "web", batch: "browser", whyNot: whyNoWeb },
  { project: "e2e", batch: "cluster", whyNot: whyNoCluster },
  { project: "attacks", batch: "attacks", whyNot: whyNoCluster },
  { project: "network", batch: "network", whyNot: whyNoNetwork, isOptional: true, provide: provideForNetwork },
  { project: "docker", batch: "engine", whyNot: whyNotApart, isOptional: true },
];

// npm test [-- [--kubernetes VERSION] LEVEL [VITEST ARGUMENTS]]; without a level all of them, the quick ones first; with a version
// those that run against an API server.
const { args, version } = readArguments();
const wanted = args[0]?.startsWith("-") === false ? args.shift() : undefined;
const possible = levels.filter(({ hasVersions }) => version === undefined || hasVersions === true);
const chosen = possible.filter(({ project }) => wanted === undefined || project === wanted);
if (chosen.length === 0) {
  const which = version === undefined ? "levels are" : "levels with --kubernetes are";
  console.error(`there is no level "${String(wanted)}"; ${which} ${possible.map(({ project }) => project).join(", ")}`);
  process.exit(2);
}
const root = join(import.meta.dirname, "..", "..");

const outcomes: Outcome[] = [];
const notRun: string[] = [];
let missing = 0;
for (const batch of new Set(chosen.map((level) => level.batch))) {
  const projects: string[] = [];
  let isApart = false;
  for (const { project, whyNot, isOptional, provide } of chosen.filter((level) => level.batch === batch)) {
    const late = isOptional && wanted === undefined ? whyTooLate(project, performance.now()) : undefined;
    const reason = late ?? (await whyNot()) ?? (await whyNotProvided(provide));
    if (reason === undefined) {
      isApart ||= provide !== undefined;
      projects.push(project);
      continue;
    }
    notRun.push(`test:${project} was not run: ${reason}`);
    if (!isOptional || wanted !== undefined) missing += 1;
  }
  if (projects.length > 0) outcomes.push(await runProjects(root, projects, { args, isApart }));
}
for (const line of notRun) console.log(line);
const inCi = !["", "0", "false"].includes(process.env.CI ?? "");
if (inCi && missing > 0)
  console.log("In CI what was not run has failed, but for test:network and test:docker as parts of npm test.");
const total = addUp(outcomes, inCi ? missing : 0);
for (const failure of total.failures) console.log(`FAILED ${failure}`);
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;

/** The command line; a version of Kubernetes in it is for this process and its children. */
function readArguments(): ReturnType<typeof takeKubernetesVersion> {
  try {
    const taken = takeKubernetesVersion(process.argv.slice(2));
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
async function whyNotProvided(provide: Level["provide"]): Promise<string | undefined> {
  try {
    await provide?.();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
