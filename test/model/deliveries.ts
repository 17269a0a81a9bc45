import type { Payload } from "./ledger.ts";
import type { Model, ModelRun } from "./model.ts";
import { type Answer, shown } from "./send.ts";
import type { Stage } from "./stage.ts";
import type { DeliverStep, Trouble } from "./steps.ts";
import { sendInTrouble } from "./trouble.ts";
import type { World } from "./world.ts";

/** What the model says of one delivery before it is sent. */
export interface Expectation {
  answers: readonly Answer[];
  /** Whether the Run of this delivery is there afterwards; `maybe` = look. */
  run: "yes" | "no" | "maybe";
}

export const triggered: Answer = { status: 200, triggered: 1, skipped: 0 };
export const skipped: Answer = { status: 200, triggered: 0, skipped: 1 };
export const nothing: Answer = { status: 200, triggered: 0, skipped: 0 };

export function refused(status: number): Answer {
  return { status, triggered: 0, skipped: 0 };
}

/** Whether one more Run is allowed; without a controller only a replica's own Runs count. */
export function roomOf({ world, model }: Stage): "some" | "none" | "unknown" {
  const { maxUnfinishedRuns, room } = model;
  if (maxUnfinishedRuns === plenty) return "some";
  if (!world.operator) return "unknown";
  return room > 0 ? "some" : "none";
}

/** A limit that no sequence reaches. */
export const plenty = 10_000;

/** What must come of a delivery where there may be no room for it: duplicates need none. */
function expectationAt(room: ReturnType<typeof roomOf>, usual: Expectation): Expectation {
  if (room === "some" || !usual.answers.includes(triggered)) return usual;
  if (room === "none") return none(refused(429));
  return { answers: [triggered, refused(429)], run: "maybe" };
}

/** What must come of a delivery by the model. */
export function expectationOf(model: Model, step: DeliverStep): Expectation {
  const { current } = model;
  if (step.credential === "none") return none(refused(401));
  if (step.trouble === "readFails") return none(refused(503));
  if (!current || model.trigger !== "Webhook") return none(refused(404));
  if (step.credential !== "current") return none(refused(401));
  if (model.isPaused || !step.matches) return none(nothing);
  return expectationOfCreate(step.trouble, step.key !== undefined && current.usedKeys.has(step.key));
}

function expectationOfCreate(trouble: Trouble, isUsed: boolean): Expectation {
  const run = isUsed ? "no" : "yes";
  switch (trouble) {
    case "none":
    case "readFails":
      return { answers: [isUsed ? skipped : triggered], run };
    case "answerLost":
    case "refused":
      // A repeat that finds the Run there may have made it.
      return { answers: isUsed ? [skipped, triggered] : [triggered], run };
    case "everyAnswerLost":
      return { answers: [refused(503)], run };
    case "apiServerBusy":
      return none(refused(503));
    case "killedBefore":
      return none("none");
    case "killedAfter":
      return { answers: ["none"], run };
  }
}

function none(answer: Answer): Expectation {
  return { answers: [answer], run: "no" };
}

/** Sends one delivery with its trouble and holds what comes of it against the model. */
export async function deliver(stage: Stage, { trouble, ...rest }: DeliverStep): Promise<string> {
  const { world, model } = stage;
  const room = roomOf(stage);
  // Only what is stored for certain can be in trouble.
  const step: DeliverStep = { ...rest, trouble: room === "some" ? trouble : "none" };
  const expectation = expectationAt(room, expectationOf(model, step));
  const payload = world.nextPayload(step.key, step.matches);
  const answer = await sendInTrouble(world, step, { key: keyOf(model, step), payload });
  checkAnswer(answer, expectation);
  await adoptDelivery(world, model, payload, { answer, run: expectation.run });
  return shown(answer);
}

interface Adoption extends Pick<ModelRun, "mayPrecedeSuspension"> {
  answer: Answer;
  run: Expectation["run"];
}

/** Sees to it that the Run is there, or is not, and that the model has it. */
export async function adoptDelivery(
  world: World,
  model: Model,
  payload: Payload,
  { answer, run, mayPrecedeSuspension = false }: Adoption,
): Promise<void> {
  const { n, idempotencyKey } = payload;
  const mustBe = run === "yes" || (answer !== "none" && answer.triggered === 1 && run === "maybe");
  if (mustBe)
    await world.until(() => (world.ledger.runsOfDelivery(n).length > 0 ? undefined : `delivery ${n} has a Run`));
  const [seen, second] = world.ledger.runsOfDelivery(n);
  if (second) throw new Error(`delivery ${n} has two Runs, ${seen?.name ?? ""} and ${second.name}`);
  if (seen && run === "no") throw new Error(`delivery ${n} has a Run ${seen.name} and should have none`);
  world.explain(n, seen !== undefined);
  if (!seen) return;
  const { current } = model;
  if (idempotencyKey !== undefined && seen.automationUid === current?.uid) current?.usedKeys.add(idempotencyKey);
  model.add({
    name: seen.name,
    automationUid: seen.automationUid,
    isExclusive: false,
    whilePaused: false,
    mayPrecedeSuspension,
    acceptedMs: seen.firedMs,
  });
}

export function checkAnswer(answer: Answer, { answers }: Pick<Expectation, "answers">): void {
  const wanted = answers.map(shown);
  if (!wanted.includes(shown(answer))) throw new Error(`the answer is ${wanted.join(" or ")}, not ${shown(answer)}`);
}

function keyOf({ current, previousKey }: Model, { credential }: DeliverStep): string | undefined {
  switch (credential) {
    case "current":
      return current?.key ?? previousKey;
    case "previous":
      return previousKey;
    case "made-up":
      return "made-up";
    case "none":
      return undefined;
  }
}
