import { join } from "node:path";

import { whyNoCluster, whyNoControlPlane } from "../cluster/cluster.ts";
import { whyNotApart } from "./apart.ts";
import { provideForNetwork, whyNoNetwork } from "./network.ts";
import { whyNoContract, whyNoStorage } from "./requirements.ts";
import { addUp, closingLine, type Outcome } from "./summary.ts";
import { runProjects } from "./vitest.ts";

/** A level of tests: a vitest project, and why this machine cannot run it (undefined: it can). */
interface Level {
  project: string;
  /** Levels of one batch run beside each other; each has a server of its own. */
  batch: "unit" | "servers" | "cluster" | "network" | "engine";
  whyNot: () => Promise<string | undefined>;
  /** A machine that cannot run it says so, and nothing has failed. */
  isOptional?: boolean;
  /** Brings what it needs of elsewhere: it runs with a network of its own, which leads nowhere. */
  provide?: () => Promise<void>;
}

const levels: readonly Level[] = [
  { project: "unit", batch: "unit", whyNot: () => Promise.resolve(undefined) },
  { project: "storage", batch: "servers", whyNot: whyNoStorage },
  { project: "apiserver", batch: "servers", whyNot: whyNoControlPlane },
  { project: "contract", batch: "servers", whyNot: whyNoContract },
  { project: "chart", batch: "servers", whyNot: whyNoControlPlane },
  { project: "e2e", batch: "cluster", whyNot: whyNoCluster },
  { project: "network", batch: "network", whyNot: whyNoNetwork, isOptional: true, provide: provideForNetwork },
  { project: "docker", batch: "engine", whyNot: whyNotApart, isOptional: true },
];

// npm test [-- LEVEL [VITEST ARGUMENTS]]; without a level all of them, the quick ones first.
const args = process.argv.slice(2);
const wanted = args[0]?.startsWith("-") === false ? args.shift() : undefined;
const chosen = levels.filter(({ project }) => wanted === undefined || project === wanted);
if (chosen.length === 0) {
  console.error(`there is no level "${String(wanted)}"; levels are ${levels.map(({ project }) => project).join(", ")}`);
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
    const reason = (await whyNot()) ?? (await whyNotProvided(provide));
    if (reason === undefined) {
      isApart ||= provide !== undefined;
      projects.push(project);
      continue;
    }
    notRun.push(`test:${project} cannot run here: ${reason}`);
    if (!isOptional || wanted !== undefined) missing += 1;
  }
  if (projects.length > 0) outcomes.push(await runProjects(root, projects, { args, isApart }));
}
for (const line of notRun) console.log(line);
const inCi = !["", "0", "false"].includes(process.env.CI ?? "");
if (inCi && missing > 0)
  console.log("In CI what cannot run has failed, but for test:network and test:docker as parts of npm test.");
const total = addUp(outcomes, inCi ? missing : 0);
for (const failure of total.failures) console.log(`FAILED ${failure}`);
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;

/** Why what a level needs cannot be had; undefined when all of it is there. */
async function whyNotProvided(provide: Level["provide"]): Promise<string | undefined> {
  try {
    await provide?.();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
