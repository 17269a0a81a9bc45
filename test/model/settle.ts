import type { Run } from "../../src/api/v1alpha1/index.ts";
import { causeOf, isSettled, isSkipped, stateOf } from "../../src/domain/runs/run-state.ts";
import { firstPromptName } from "../../src/domain/prompts/first-prompt-name.ts";
import { unpruned } from "./history.ts";
import type { Seen } from "./ledger.ts";
import type { Fate, Model, ModelRun, Prospect } from "./model.ts";
import { slotText } from "./slot-times.ts";
import { settleSlot } from "./slots.ts";
import type { World } from "./world.ts";

const orphaned = new Set(["AutomationDeleted", "AutomationReplaced", "AutomationNotFound"]);

/** Waits until the controller, if there is one, has made of the world what the model says; then the model follows. */
export async function settle(world: World, model: Model): Promise<void> {
  if (!world.operator) return;
  await passNearDeadlines(world, model);
  await settleSlot(world, model);
  const prospect = model.prospect(world.clock.nowMs);
  await world.until(() => prospect.fates.map((fate) => unmet(world, fate)).find((problem) => problem !== undefined));
  await world.until(() => leftBehind(world, model));
  await world.until(() => withheldKey(world, prospect));
  adopt(world, prospect);
  adoptFreedKeys(world, model, prospect);
  checkOneStarts(prospect);
  await adoptStatus(world, model, prospect);
  await world.until(() => unpruned(world, model));
  // A delay that a reconcile under way has computed would begin at an instant to which a test has moved on meanwhile.
  await world.until(() => (world.operator?.isIdle ? undefined : "the controller is idle"));
}

const nearMs = 600_000;

/** Time goes on a little while the world is waited for. What would be due meanwhile is due now, so that the model knows. */
async function passNearDeadlines(world: World, model: Model): Promise<void> {
  const { clock } = world;
  for (;;) {
    const deadlineMs = model.nextDeadlineMs(clock.nowMs) ?? Infinity;
    if (deadlineMs - clock.nowMs > nearMs) {
      clock.waitUpTo(deadlineMs);
      return;
    }
    // A controller that has not seen the suspension yet would rightly fire the slot.
    if (model.current?.suspend && deadlineMs === model.current.nextSlotMs) await world.rest();
    clock.advance(Math.max(0, deadlineMs - clock.nowMs));
  }
}

/** The reason of a Run that goes on, the cause of one that has ended. */
function outcomeOf(run: Run): string {
  return causeOf(run) ?? stateOf(run);
}

function unmet(world: World, fate: Fate): string | undefined {
  const run = world.ledger.last(fate.run.name);
  if (!run) return `Run ${fate.run.name} is there`;
  const outcome = outcomeOf(run);
  switch (fate.kind) {
    case "judged":
      return fate.causes.includes(outcome)
        ? withoutPrompt(world, fate.run, outcome)
        : `Run ${fate.run.name} is ${fate.causes.join(" or ")}, not ${outcome}`;
    case "ended":
      return isSettled(run) && stateOf(run) === fate.reason
        ? undefined
        : `Run ${fate.run.name} has ended as ${fate.reason}, not ${outcome}`;
    case "goesOn":
      return isSettled(run) ? `Run ${fate.run.name} goes on, not ${outcome}` : undefined;
  }
}

/** A Run that was started has a first Prompt in each session. */
function withoutPrompt(world: World, { name, sessions }: ModelRun, outcome: string): string | undefined {
  if (outcome !== "Running") return undefined;
  const names = sessions.map((_, index) => firstPromptName(`${name}-${index}`));
  const missing = names.find((one) => world.prompt(one) === undefined);
  return missing === undefined ? undefined : `Prompt ${missing} is there`;
}

/** Runs of Automations that are gone: started ones are deleted, the others say why they never started. */
export function leftBehind(world: World, model: Model): string | undefined {
  const left = world.commons.observation.runs(world.namespace).find((run) => {
    const uid = run.spec.automationRef.uid ?? run.metadata.labels?.["runwright.dev/automation-uid"] ?? "";
    return model.gone.has(uid) && !orphaned.has(causeOf(run) ?? "");
  });
  if (left) return `Run ${left.metadata.name ?? ""} of an Automation that is gone goes too, and is ${outcomeOf(left)}`;
  model.runs = model.runs.filter(({ automationUid }) => !model.gone.has(automationUid ?? ""));
  return undefined;
}

/** A Run that was skipped gives its idempotency key back: another Run has its payload and verdict, and it is gone. */
function withheldKey(world: World, prospect: Prospect): string | undefined {
  for (const { uid, name } of skippedKeyed(world, prospect)) {
    const copy = world.ledger.copyOf(uid);
    if (!copy || !isSettled(copy.last)) return `Run ${name}, which was skipped, has a copy with its verdict`;
    const isThere = world.commons.observation.runs(world.namespace).some(({ metadata }) => metadata.uid === uid);
    if (isThere) return `Run ${name}, which was skipped, has freed its key`;
  }
  return undefined;
}

function adoptFreedKeys(world: World, model: Model, prospect: Prospect): void {
  for (const { uid, name, automationUid, payload } of skippedKeyed(world, prospect)) {
    const run = prospect.fates.find((fate) => fate.run.name === name)?.run;
    const copy = world.ledger.copyOf(uid);
    if (run && copy) run.name = copy.name;
    const { current } = model;
    if (current?.uid === automationUid) current?.usedKeys.delete(payload?.idempotencyKey ?? "");
  }
}

/** The Runs with an idempotency key that were skipped while their Automation was there. */
function skippedKeyed(world: World, { fates }: Prospect): Seen[] {
  const judged = fates.filter(({ kind }) => kind === "judged");
  const keyed = judged.flatMap(({ run }) => world.ledger.keyed(run.name) ?? []);
  return keyed.filter(({ last }) => isSkipped(last) && !orphaned.has(causeOf(last) ?? ""));
}

function adopt(world: World, { fates }: Prospect): void {
  for (const { run, kind } of fates) {
    if (kind === "ended") run.state = "over";
    if (kind === "judged") adoptJudgement(world, run);
    run.isStruck ||= run.failures.some((reason) => reason !== "Cancelled");
  }
}

function adoptJudgement(world: World, run: ModelRun): void {
  const stored = world.ledger.last(run.name);
  const isRunning = stored !== undefined && outcomeOf(stored) === "Running";
  run.state = isRunning ? "running" : "over";
  run.automationUid ??= stored?.metadata.labels?.["runwright.dev/automation-uid"];
  if (isRunning) run.startedMs = Date.parse(stored.status?.startTime ?? "");
}

function checkOneStarts({ fates, isOneStarting }: Prospect): void {
  const started = fates.filter(({ run, kind }) => kind === "judged" && run.isExclusive && run.state === "running");
  if (isOneStarting && started.length !== 1) throw new Error(`${started.length} of the waiting Runs started, not one`);
}

async function adoptStatus(world: World, model: Model, { tallies }: Prospect): Promise<void> {
  const { current, trigger } = model;
  if (!current) return;
  await world.until(async () => {
    const status = (await world.automation())?.status;
    const shown = status?.conditions?.find(({ type }) => type === "Paused");
    const counter = status?.consecutiveFailures ?? 0;
    const paused = shown?.status === "True" && shown.reason === "TooManyFailures";
    const isShownSuspended = shown?.status === "True" && shown.reason === "Suspended";
    const { activeRuns = 0 } = status ?? {};
    const { unfinished } = model;
    if (activeRuns !== unfinished) return `${unfinished} unfinished Runs are counted, not ${activeRuns}`;
    const tally = tallies.find((one) => one.counter === counter && one.paused === paused);
    const wanted = tallies.map((one) => `${one.counter}${one.paused ? " paused" : ""}`).join(" or ");
    if (!shown || !tally) return `the counter is ${wanted}, not ${counter}${paused ? " paused" : ""}`;
    if (!paused && isShownSuspended !== current.suspend) return `Paused says that suspend is ${current.suspend}`;
    const hasSlots = trigger === "Schedule" && !paused && !current.suspend;
    const nextSlotMs = hasSlots ? model.slots.after(world.clock.nowMs) : undefined;
    const slot = nextSlotMs === undefined ? undefined : slotText(nextSlotMs);
    const { nextScheduleTime } = status ?? {};
    if (nextScheduleTime !== slot) return `the next slot is ${slot ?? "none"}, not ${nextScheduleTime ?? "none"}`;
    Object.assign(current, { tally, isShownSuspended, isResumeRequested: false, nextSlotMs });
    return undefined;
  });
}
