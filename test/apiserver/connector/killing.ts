import { expect } from "vitest";

import { isThorough } from "../../support/thorough.ts";
import type { Connector, World } from "./world.ts";

/** Has `onStep` called after each step of the connector's. */
type Watch = (connector: Connector, onStep: () => void) => void;

/**
 * Has `onStep` called after each step of the connector's: a write that the API server has carried out, or a call that GitHub has
 * carried out, of which the connector does not know yet.
 */
export function watchGitHubSteps(world: World): Watch {
  return (connector, onStep) => {
    connector.proxy.decide(({ isWrite, path }) =>
      isWrite && !path.includes("/leases") ? { kind: "between", run: onStep } : undefined,
    );
    world.github.after = (route, caller) => {
      if (caller === connector.name && route.startsWith("POST /repos")) onStep();
    };
  };
}

/**
 * Does the same again and again, and kills the connector that leads after its first step, then after its second, up to the last,
 * or as a sample only after the one in the middle; each time the next connector goes on: a new one, or one that stood by.
 */
export async function killAfterEachStep<T>(
  world: World,
  {
    watch,
    act,
    want,
    least,
    hasStandby = false,
  }: { watch: Watch; act: () => Promise<T>; want: T; least: number; hasStandby?: boolean },
): Promise<Connector> {
  const first = await world.startConnector();
  const standby = (): Promise<Connector> => world.startConnector({ isStandby: true });
  let second = hasStandby ? await standby() : undefined;
  let steps = 0;
  watch(first, () => void (steps += 1));
  expect(await act()).toEqual(want);
  expect(steps).toBeGreaterThan(least);
  let leader = first;
  const all = Array.from({ length: steps }, (_, at) => at + 1);
  for (const killedAt of isThorough() ? all : [Math.ceil(steps / 2)]) {
    let step = 0;
    let isOver = false;
    const victim = leader;
    const next = Promise.withResolvers<Connector>();
    watch(victim, () => {
      step += 1;
      if (isOver || step !== killedAt) return;
      victim.kill();
      void world
        .forgetLeader()
        .then(() => second ?? world.startConnector())
        .then(next.resolve, next.reject);
    });
    expect(await act(), `killed after step ${killedAt} of ${steps}`).toEqual(want);
    // A run may take a step less, as when the connection was noted before, or its last may show before it is told here.
    isOver = step < killedAt;
    if (isOver) continue;
    leader = await next.promise;
    if (hasStandby) second = await standby();
  }
  return leader;
}
