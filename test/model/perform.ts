import { change } from "./changes.ts";
import { deliver, plenty, roomOf } from "./deliveries.ts";
import { exhaust } from "./exhaust.ts";
import { type Model, startDeadlineMs, sweepMs } from "./model.ts";
import { deliverTwice } from "./pairs.ts";
import { race } from "./race.ts";
import { endSession, trigger } from "./sessions.ts";
import { settle } from "./settle.ts";
import { unexpectedSlot } from "./slots.ts";
import { plainDelivery, type Stage } from "./stage.ts";
import type { Step } from "./steps.ts";

/** Does one step, holds the world against the model, and says what was done. */
export async function perform(stage: Stage, step: Step): Promise<string> {
  const done = isPossible(stage, step) ? step : plainDelivery;
  const outcome = await act(stage, done);
  await settle(stage.world, stage.model);
  const { world, model } = stage;
  const broken = world.ledger.broken ?? world.unexplained() ?? unexpectedSlot(world, model);
  if (broken !== undefined) throw new Error(broken);
  return typeof outcome === "string" ? `${describe(done)}: ${outcome}` : describe(done);
}

const always = (): boolean => true;
const isThere = ({ model }: Stage): boolean => model.current !== undefined;
const takesDeliveries = ({ current, trigger }: Model): boolean => current !== undefined && trigger === "Webhook";
const hasRoom = (stage: Stage, runs: number): boolean => roomOf(stage) === "some" && stage.model.room >= runs;
const isControlled = ({ world }: Stage): boolean => world.operator !== undefined;

/** When a step makes sense. */
const possible: Record<Step["do"], (stage: Stage) => boolean> = {
  deliver: always,
  // Each replica lets in what it sees room for.
  deliverTwice: (stage) => hasRoom(stage, 2),
  exhaust: ({ model }) => takesDeliveries(model) && model.maxUnfinishedRuns === plenty,
  race: (stage) => takesDeliveries(stage.model) && hasRoom(stage, 1),
  endSession: ({ model }) => model.openSessions.length > 0,
  trigger: always,
  suspend: isThere,
  unsuspend: isThere,
  resume: isThere,
  rotateKey: isThere,
  delete: isThere,
  create: (stage) => !isThere(stage),
  hangWatch: always,
  releaseWatch: always,
  killIngress: always,
  stopController: isControlled,
  startController: (stage) => !isControlled(stage),
  killController: isControlled,
  wait: always,
  passStartDeadline: always,
  passSweepDeadline: always,
  passSlot: (stage) => isThere(stage) && stage.model.trigger === "Schedule",
};

function isPossible(stage: Stage, step: Step): boolean {
  return possible[step.do](stage);
}

type Actor<Name extends Step["do"]> = (stage: Stage, step: Extract<Step, { do: Name }>) => unknown;

const actors: { [Name in Step["do"]]: Actor<Name> } = {
  deliver: (stage, step) => afresh(stage, () => deliver(stage, step)),
  deliverTwice: (stage, step) => afresh(stage, () => deliverTwice(stage, step)),
  exhaust,
  race: (stage, step) => afresh(stage, () => race(stage, step)),
  endSession,
  trigger,
  suspend: (stage) => change(stage, "suspend"),
  unsuspend: (stage) => change(stage, "unsuspend"),
  resume: (stage) => change(stage, "resume"),
  rotateKey: (stage) => change(stage, "rotateKey"),
  delete: (stage) => change(stage, "delete"),
  create: (stage) => change(stage, "create"),
  hangWatch: ({ world }, { replica }) => world.replicas[replica].proxy.breakWatches("silence"),
  releaseWatch: ({ world }, { replica }) => world.replicas[replica].proxy.breakWatches("reset"),
  killIngress: ({ world }, { replica }) => world.replaceReplica(replica),
  stopController: ({ world }) => world.stopOperator(),
  startController: ({ world }) => world.startOperator(),
  killController: ({ world }, { atWrite, when }) => world.operator?.dieAt(atWrite, when),
  wait: ({ world }, { seconds }) => world.clock.advance(seconds * 1_000),
  passStartDeadline: ({ world }) => world.clock.advance(startDeadlineMs),
  passSweepDeadline: ({ world }) => world.clock.advance(sweepMs),
  passSlot: ({ world: { clock }, model: { slots } }) => clock.advance(slots.after(clock.nowMs) - clock.nowMs),
};

function act(stage: Stage, step: Step): unknown {
  // A step's actor is the one of its name.
  const actor = actors[step.do] as (stage: Stage, step: Step) => unknown;
  return actor(stage, step);
}

/**
 * What a replica has read until now is too old to be used: a change counts a second after it was made. Where room for Runs
 * is scarce, also its own Runs are old enough for the controller's count to have them.
 */
function afresh<T>({ world, model }: Stage, send: () => Promise<T>): Promise<T> {
  world.clock.advance(model.maxUnfinishedRuns === plenty ? 1_001 : 2_001);
  return send();
}

function describe({ do: what, ...rest }: Step): string {
  const words = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${String(value)}`],
  );
  return [what, ...words].join(" ");
}
