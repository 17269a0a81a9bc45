import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Prompt, Session } from "../../../src/api/v1alpha1/index.ts";
import { isThorough } from "../../support/thorough.ts";
import { aboutOf, isCounted, World } from "./world.ts";

/** A write of each controller: of Runs, of Sessions, of Automations. */
const sample = ["POST sessions", "POST pods", "PATCH automations/status"];

let world: World;
/** The controller's writes for one Run that nothing disturbs. */
let writes: string[];

beforeAll(async () => {
  world = await World.working();
  await world.warmUp();
  const mark = world.proxies.controller.seen.length;
  await world.deliver("undisturbed");
  await world.written("undisturbed");
  writes = world.proxies.controller.seen.slice(mark).filter(isCounted).map(aboutOf);
});

afterAll(() => world.close());

describe.each(["before", "after"] as const)("a controller that is killed just %s a write", (when) => {
  it("is followed by one that finishes the Run, whichever write it was", async () => {
    expect(writes.length).toBeGreaterThan(5);
    for (const k of killedAt(when)) await finishesAfterKill(when, k);
  }, 1_800_000);
});

/** The numbers of the writes at which the controller is killed, from 1 on: all; in a sample the first of each controller, one of them before it. */
function killedAt(when: "before" | "after"): number[] {
  if (isThorough()) return writes.map((_, at) => at + 1);
  const sampled = when === "before" ? sample.slice(0, 1) : sample.slice(1);
  return sampled.map((about) => writes.indexOf(about) + 1);
}

async function finishesAfterKill(when: "before" | "after", k: number): Promise<void> {
  const { controller } = world.proxies;
  const name = `killed-${when}-${k}`;
  let count = 0;
  const killed = Promise.withResolvers<undefined>();
  controller.decide(async (request) => {
    if (!isCounted(request)) return undefined;
    count += 1;
    if (count < k) return undefined;
    if (when === "before" && count === k) {
      await world.killController();
      killed.resolve(undefined);
    }
    if (when === "after" && count === k) {
      // The answer is lost, and the process dies before it can send anything else.
      setImmediate(() => void world.killController().then(() => killed.resolve(undefined)));
      return { kind: "lose" };
    }
    return { kind: "refuse" };
  });
  await world.deliver(name);
  await killed.promise;
  controller.decide(undefined);
  await world.startController();

  const run = await world.written(name);
  expect(run.status, name).toMatchObject({
    conditions: expect.arrayContaining([expect.objectContaining({ type: "Succeeded", status: "True" })]) as unknown,
    result: { summary: "Fixed it" },
  });
  expect(await childrenOf(name), name).toEqual({ sessions: 1, prompts: 1 });
}

async function childrenOf(run: string): Promise<{ sessions: number; prompts: number }> {
  const { client, namespace } = world;
  const [sessions, prompts] = await Promise.all([
    client.list(Session, { namespace }),
    client.list(Prompt, { namespace }),
  ]);
  const ofRun = ({ metadata }: { metadata: { name?: string | undefined } }): boolean =>
    metadata.name?.startsWith(`${run}-0`) ?? false;
  return { sessions: sessions.items.filter(ofRun).length, prompts: prompts.items.filter(ofRun).length };
}
