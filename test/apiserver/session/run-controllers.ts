import { automationController } from "../../../src/controllers/automation/controller.ts";
import { runController } from "../../../src/controllers/run/controller.ts";
import { integrationInformers, kindInformers } from "../../../src/controllers/kind-informers.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { limits, type World } from "./world.ts";

/**
 * The controllers of Automations and Runs beside those of a world's sessions. With admin's rights: the policy on authors
 * exempts the operator by its user name, which a world's operator has not got.
 */
export async function startRunControllers(world: World): Promise<{ work: ControllersAtWork; stop(): Promise<void> }> {
  const { operatorClient: client, clock, namespace, keysNamespace, time } = world;
  const caching = { client, clock: systemClock, random: systemRandom };
  const informers = { ...kindInformers(caching, { namespace }), ...integrationInformers(caching, { namespace }) };
  const work = new ControllersAtWork(world.client, Object.values(informers));
  const deps = {
    client,
    clock,
    random: systemRandom,
    informers,
    events: { record: () => undefined },
    operator: { settings: {}, executionTimeoutMs: limits.executionTimeoutMs },
    tunnels: { peopleUrl: "https://gateway.invalid", waitSeconds: 30 },
    keysNamespace,
    metrics: work.metrics,
  };
  const controllers = [runController(deps), automationController(deps)];
  for (const informer of Object.values(informers)) informer.start();
  await Promise.all(controllers.map((controller) => controller.start()));
  const stopWaiting = time.waitFor(work);
  return {
    work,
    async stop() {
      stopWaiting();
      await Promise.all(controllers.map((controller) => controller.stop(0)));
      await Promise.all(Object.values(informers).map((informer) => informer.stop()));
    },
  };
}
