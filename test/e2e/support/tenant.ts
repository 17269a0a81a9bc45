import { randomBytes } from "node:crypto";

import { inject } from "vitest";

import { clusterUp } from "../../../hack/cluster/cluster.ts";
import { startGitServer, type GitServer } from "./git-server.ts";
import { createKey } from "./key.ts";
import { makeNarrator, type Narrator } from "./narrator.ts";
import { openSender, type Sender } from "./sender.ts";
import { automationName, rolesOfTenant, type SampleAgent, tenantObjects } from "./tenant-objects.ts";
import { apply, kubectl, localWorkbench, type Workbench } from "./workbench.ts";
import { Run } from "../../../src/api/v1alpha1/index.ts";
import type {} from "../../support/cluster.setup.ts";

/** What the tests of one file share: the cluster with the release, and a git server. */
export interface Stage {
  bench: Workbench;
  narrator: Narrator;
  git: GitServer;
  close(): Promise<void>;
}

/** A namespace with everything one webhook Automation needs, and its sender. */
export interface Tenant extends Sender {
  namespace: string;
  /** `<namespace>.<name>`. */
  automation: string;
  automationName: string;
  key: string;
  /** Names of the Runs that the API server has right now; a watch would show a new one later. */
  runNames(): Promise<Set<string>>;
}

/** Opens the cluster that the project's setup brought up, and starts a git server of this file's own. */
export async function openStage(name: string): Promise<Stage> {
  const narrator = makeNarrator((line) => void process.stderr.write(line));
  const bench = localWorkbench(await clusterUp(() => undefined));
  const git = await startGitServer(bench, `git-${name}-${suffix()}`, inject("release").sandbox.name, narrator);
  return {
    bench,
    narrator,
    git,
    async close() {
      await kubectl(bench, ["delete", "namespace", git.namespace, "--wait=false"]);
      await bench.close();
    },
  };
}

/** Makes a tenant with a key; `agent` is by default the sample repository's own. */
export async function makeTenant(stage: Stage, agent?: SampleAgent): Promise<Tenant> {
  const { bench, narrator, git } = stage;
  const namespace = `tenant-${suffix()}`;
  const options = { namespace, className: namespace, git };
  await apply(bench, tenantObjects(agent === undefined ? options : { ...options, agent }));
  const { key } = await createKey(bench, `${namespace}/${automationName}`);
  const automation = `${namespace}.${automationName}`;
  const sender = await openSender(bench, { namespace, automation, key }, narrator);
  const runNames = async (): Promise<Set<string>> => {
    const { items } = await bench.client.list(Run, { namespace });
    return new Set(items.map(({ metadata }) => metadata.name ?? ""));
  };
  const close = async (): Promise<void> => {
    await sender.close();
    const clusterScoped = [`sandboxclass/${namespace}`, ...rolesOfTenant(namespace)];
    await kubectl(bench, ["delete", "--wait=false", "--ignore-not-found", `namespace/${namespace}`, ...clusterScoped]);
  };
  return { ...sender, namespace, automation, automationName, key, runNames, close };
}

function suffix(): string {
  return randomBytes(4).toString("hex");
}
