import { scopeControllers } from "../../../src/controllers/repository/controller.ts";
import { integrationInformers, kindInformers } from "../../../src/controllers/kind-informers.ts";
import type { Informer } from "../../../src/kube/informer.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { privateNetwork } from "../../support/private-network.ts";
import { type Trouble, troubled } from "../../support/trouble.ts";
import type { World } from "./world.ts";

type Followed = Pick<Informer<KubeObject>, "resource" | "selection" | "size" | "get" | "start" | "stop">;

/** The controllers of the kinds that sessions refer to, as the operator runs them. */
export interface ScopeControllers {
  /** What they wrote, as `patch Skill/status`, failed ones too. */
  readonly writes: string[];
  /** What they read beside their caches, as `get ConfigMap`. */
  readonly reads: string[];
  readonly work: ControllersAtWork;
  stop(): Promise<void>;
}

export async function startScopeControllers(world: World, trouble: Trouble = {}): Promise<ScopeControllers> {
  const writes: string[] = [];
  const reads: string[] = [];
  const { namespace, clock, operatorSettings } = world;
  const client = world.operatorClient.withHooks(troubled(trouble, writes)).withHooks({
    afterRequest: ({ verb, resource }) => {
      if (verb === "get") reads.push(`get ${resource.kind}`);
    },
  });
  const caching = { client, clock: systemClock, random: systemRandom };
  const informers = { ...kindInformers(caching, { namespace }), ...integrationInformers(caching, { namespace }) };
  const { repositories, environments, sandboxClasses, skills, integrations } = informers;
  const followed: Followed[] = [repositories, environments, sandboxClasses, skills, integrations];
  const work = new ControllersAtWork(world.client, followed);
  const controllers = scopeControllers({
    ...{ client, clock, random: systemRandom, informers, network: privateNetwork },
    events: { record: () => undefined },
    metrics: work.metrics,
    github: { apiURLs: [] },
    operator: { settings: operatorSettings },
  });
  for (const informer of followed) informer.start();
  await Promise.all(controllers.map((controller) => controller.start()));
  const stopWaiting = world.time.waitFor(work);
  return {
    writes,
    reads,
    work,
    async stop() {
      stopWaiting();
      await Promise.all(controllers.map((controller) => controller.stop(0)));
      await Promise.all(followed.map((informer) => informer.stop()));
    },
  };
}
