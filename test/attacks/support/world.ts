import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Attacker } from "../../e2e/support/attacker.ts";
import { useBranch } from "../../e2e/support/branch.ts";
import { repositoryName } from "../../e2e/support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "../../e2e/support/tenant.ts";
import { readCounts } from "./counts.ts";
import { Archivists } from "./archivists.ts";

/** One release, one tenant and a few sandboxes of it, for all attempts. */
export interface World {
  stage: Stage;
  tenant: Tenant;
  attacker: Attacker;
  victim: Attacker;
  /** Of a session whose repository's hooks attack. */
  hooked: Attacker;
  archivists: Archivists;
  /** Counts before anything was tried. */
  before: Map<string, number>;
  close(): Promise<void>;
}

const programs = join(import.meta.dirname, "..", "programs");
const hooks = {
  ".runwright/setup.sh": "node .runwright/hook.mjs\n",
  ".runwright/start.sh": "node .runwright/thief.mjs &\n",
};

export async function openWorld(): Promise<World> {
  const stage = await openStage("attacks");
  const { bench } = stage;
  const tenant = await makeTenant(stage);
  const before = await readCounts(bench);
  const programsOf = ["hook.mjs", "thief.mjs"].map(async (name) => {
    return [`.runwright/${name}`, await readFile(join(programs, name), "utf8")] as const;
  });
  await useBranch(stage, tenant, { ...hooks, ...Object.fromEntries(await Promise.all(programsOf)) });
  const [attacker, victim, hooked] = ["attacker", "victim", "hooked"].map((name) => {
    return new Attacker(bench, tenant.namespace, name);
  }) as [Attacker, Attacker, Attacker];
  const archivists = new Archivists(bench, tenant.namespace);
  await Promise.all([
    attacker.create(),
    victim.create(),
    hooked.create({ target: { repositoryRefs: [{ name: repositoryName }] } }),
    archivists.begin(),
  ]);
  const close = async (): Promise<void> => {
    await tenant.close();
    await stage.close();
  };
  return { stage, tenant, attacker, victim, hooked, archivists, before, close };
}
