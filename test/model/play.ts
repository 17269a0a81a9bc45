import { Run } from "../../src/api/v1alpha1/index.ts";
import { isSettled } from "../../src/domain/runs/run-state.ts";
import { Model, sweepMs } from "./model.ts";
import { change } from "./changes.ts";
import { perform } from "./perform.ts";
import { settle } from "./settle.ts";
import type { Stage } from "./stage.ts";
import type { Sequence } from "./steps.ts";
import { type Commons, World } from "./world.ts";

/** A sequence in which something did not hold, with what was done until then. */
export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
  readonly steps: readonly string[];

  constructor(steps: readonly string[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.steps = steps;
  }
}

/** Plays a sequence from the creation of its Automation until nothing is left to happen; throws BrokenInvariant. */
export async function play(commons: Commons, sequence: Sequence): Promise<void> {
  const done: string[] = [];
  const world = await World.make(commons);
  try {
    const stage = { world, model: new Model(world.clock.nowMs, sequence) };
    await change(stage, "create");
    await settle(stage.world, stage.model);
    for (const step of sequence.steps) {
      // What fails is said with its step.
      done.push(JSON.stringify(step));
      done[done.length - 1] = await perform(stage, step);
    }
    done.push("the end");
    await end(stage);
  } catch (error) {
    throw new BrokenInvariant(done, error);
  } finally {
    await world.close();
  }
}

/** Time goes on past every deadline and no slot comes; then all Runs have ended, and nothing is written any more. */
async function end(stage: Stage): Promise<void> {
  const { world, model } = stage;
  world.startOperator();
  await settle(world, model);
  if (model.current && model.trigger === "Schedule") await change(stage, "suspend");
  await settle(world, model);
  world.clock.advance(sweepMs);
  await settle(world, model);
  const { items } = await world.commons.client.list(Run, { namespace: world.namespace });
  for (const run of items) {
    world.ledger.follow(run, false);
    if (!isSettled(run)) throw new Error(`Run ${run.metadata.name ?? ""} has no end past its last deadline`);
  }
  const broken = world.ledger.broken ?? world.unexplained();
  if (broken !== undefined) throw new Error(broken);
  await comesToRest(world);
}

/** Hours, in steps. */
const quiet = { steps: 4, stepMs: 1_800_000 };

/** A settled world causes no writes. What was still under way may end; what is written again and again does not. */
async function comesToRest(world: World): Promise<void> {
  let written = -1;
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await world.rest();
    const before = world.operator?.writes ?? 0;
    for (let step = 0; step < quiet.steps; step += 1) {
      world.clock.advance(quiet.stepMs);
      await world.rest();
    }
    written = (world.operator?.writes ?? 0) - before;
    if (written === 0) return;
  }
  throw new Error(`${written} writes in two hours of a settled world`);
}
