import { namespaceController } from "../../../src/controllers/namespace/controller.ts";
import { tenantCollector } from "../../../src/controllers/namespace/collector/controller.ts";
import { namespaceInformers } from "../../../src/controllers/namespace/informers.ts";
import { orphanController } from "../../../src/controllers/orphans/controller.ts";
import { integrationInformers, kindInformers } from "../../../src/controllers/kind-informers.ts";
import type { Informer } from "../../../src/kube/informer.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import type { ClusterNetwork } from "../../../src/controllers/sandbox/network/cluster-network.ts";
import type { TenantNamespaces } from "../../../src/controllers/sandbox/tenant/tenant-namespaces.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import type { World } from "./world.ts";
import { privateNetwork } from "../../support/private-network.ts";

/** The controllers that keep a tenant namespace in order and collect what is left, as the operator runs them. */
export interface TenantControllers {
  /** What they wrote, as `create NetworkPolicy`. */
  readonly writes: string[];
  readonly work: ControllersAtWork;
  stop(): Promise<void>;
}

export async function startTenantControllers(
  world: World,
  namespaces: TenantNamespaces,
  network: Pick<ClusterNetwork, "onChange"> = privateNetwork,
): Promise<TenantControllers> {
  const writes: string[] = [];
  const { clock, namespace, release, keysNamespace, sessionsNamespace } = world;
  const client = world.operatorClient.withHooks({
    afterRequest: ({ verb, resource }) => {
      if (["create", "update", "patch", "delete"].includes(verb)) writes.push(`${verb} ${resource.kind}`);
    },
  });
  const reads = { client, clock: systemClock, random: systemRandom };
  const { automations, sessions, prebuiltImages, sandboxPools, sandboxClasses } = kindInformers(reads, { namespace });
  const informers = {
    ...namespaceInformers(reads, { release }),
    ...integrationInformers(reads, { namespace }),
    automations,
    sessions,
    prebuiltImages,
    sandboxPools,
    sandboxClasses,
  };
  const followed = Object.values(informers) as Informer<KubeObject>[];
  const work = new ControllersAtWork(world.client, followed);
  const common = {
    client,
    clock,
    random: systemRandom,
    informers,
    namespaces,
    network,
    metrics: work.metrics,
  };
  const controllers = [
    namespaceController(common),
    tenantCollector({ ...common, release }),
    orphanController({ ...common, release: { keysNamespace, sessionsNamespace } }),
  ];
  for (const informer of followed) informer.start();
  await Promise.all(controllers.map((controller) => controller.start()));
  const stopWaiting = world.time.waitFor(work);
  return {
    writes,
    work,
    async stop() {
      stopWaiting();
      await Promise.all(controllers.map((controller) => controller.stop(0)));
      await Promise.all(followed.map((informer) => informer.stop()));
    },
  };
}
