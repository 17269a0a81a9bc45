import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { clientOf } from "../../test/support/kube.ts";
import { startIngressProcess } from "../ingress.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { buildRunwright } from "../programs.ts";
import { makeBenchWorld } from "../world.ts";
import { type Contender, measureRounds } from "./measure.ts";
import { parseOptions } from "./options.ts";
import { startStubServer } from "./stub-server.ts";

// npm run bench:alone -- [--output json] [--deliveries N] [--rounds N] [--program FILE] [--beside FILE] [--profile FOLDER]
const options = parseOptions(process.argv.slice(2));
const progress = progressOnStderr("bench:alone");
const folder = await mkdtemp(join(tmpdir(), "runwright-bench-"));
const stub = await startStubServer();
const contenders: Contender[] = [];
try {
  const kubeconfig = await writeKubeconfig(stub.url);
  const connection = clientOf({ file: kubeconfig });
  const world = await makeBenchWorld(connection.client, folder);
  await connection.close();
  const start = async (name: Contender["name"], program: string): Promise<void> => {
    const profiled = options.profile !== undefined && name === "product";
    const nodeOptions = profiled ? ["--cpu-prof", `--cpu-prof-dir=${options.profile}`] : [];
    contenders.push({
      name,
      ingress: await startIngressProcess({ program, kubeconfig, keysNamespace: world.keysNamespace, nodeOptions }),
    });
  };
  await start("product", options.program ?? (await buildRunwright(join(folder, "programs"))));
  if (options.beside !== undefined) await start("beside", options.beside);
  const machine = await describeMachine();
  const before = loadNow();
  const measured = await measureRounds(contenders, {
    ...options,
    files: await world.writeFiles("http://ingress"),
    progress,
  });
  const command = ["npm run bench:alone --", ...process.argv.slice(2)].join(" ");
  const document = {
    time: new Date().toISOString(),
    command,
    machine,
    load: { before, after: loadNow() },
    ...measured,
  };
  process.stdout.write(`${JSON.stringify(document, undefined, options.json ? undefined : 2)}\n`);
} finally {
  await Promise.all(contenders.map(({ ingress }) => ingress.stop()));
  stub.close();
  await rm(folder, { recursive: true, force: true });
}

async function writeKubeconfig(server: string): Promise<string> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "stub",
    contexts: [{ name: "stub", context: { cluster: "stub", user: "stub" } }],
    clusters: [{ name: "stub", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "stub", user: {} }],
  };
  const file = join(folder, "kubeconfig.json");
  await writeFile(file, JSON.stringify(config));
  return file;
}
