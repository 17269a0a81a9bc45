import { randomUUID } from "node:crypto";

import { IntegrationEvent } from "../../src/api/v1alpha1/index.ts";
import type { World } from "../../test/apiserver/connector/world.ts";
import { rounded } from "../statistics.ts";
import { atPace, type Figures, figuresOf, type Pace, ratioTo } from "./paced.ts";
import { type Route, routes } from "./routes.ts";

export interface MeasuredIntake extends Figures {
  /** What the ingress asks the API server to write for each event. */
  writesEach: number;
  /** The same objects at the same pace, created at the API server without an ingress. */
  creates: Figures;
  /** The p99 to that of `creates`. */
  ratio: number;
}

/** Events of each provider, in threads or issues of their own: from the begin of the request to the whole answer. */
export async function measureIntake(world: World, pace: Pace): Promise<Record<keyof typeof routes, MeasuredIntake>> {
  const { slack, github } = routes;
  return { slack: await measureRoute(world, slack, pace), github: await measureRoute(world, github, pace) };
}

async function measureRoute(world: World, route: Route, pace: Pace): Promise<MeasuredIntake> {
  const integration = await route.makeIntegration(world);
  const send = async (): Promise<boolean> => (await route.send(world, integration)) === 200;
  // The first ones are the compiler's.
  for (let warm = 0; warm < pace.perSecond; warm += 1) await send();
  const [{ metadata, spec }] = (await world.events(integration)) as [IntegrationEvent];
  const { namespace, ownerReferences } = metadata;
  const create = async (): Promise<boolean> => {
    await world.client.create(IntegrationEvent, {
      metadata: { name: `raw-${randomUUID()}`, namespace, ownerReferences },
      spec,
    });
    return true;
  };
  const creates = figuresOf(await atPace(pace, create));
  world.ingressProxy.seen.splice(0);
  const figures = figuresOf(await atPace(pace, send));
  const writes = world.ingressProxy.seen.filter(({ isWrite }) => isWrite).length;
  return { ...figures, writesEach: rounded(writes / figures.count), creates, ratio: ratioTo(creates, figures) };
}
