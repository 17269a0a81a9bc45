import { Run } from "../../src/api/v1alpha1/index.ts";
import type { FaultProxy } from "../support/fault-proxy.ts";
import { change } from "./changes.ts";
import { adoptDelivery, checkAnswer, expectationOf, nothing, refused, skipped, triggered } from "./deliveries.ts";
import { type Answer, send, shown } from "./send.ts";
import { leftBehind } from "./settle.ts";
import { plainDelivery, type Stage } from "./stage.ts";
import type { Change, Moment, Step } from "./steps.ts";
import { isCreate, isRead } from "./trouble.ts";
import type { World } from "./world.ts";

type RaceStep = Extract<Step, { do: "race" }>;

/** Sends a delivery, and while it is on its way something changes; the answer must say which was first. */
export async function race(stage: Stage, step: RaceStep): Promise<string> {
  const { world, model } = stage;
  const payload = world.nextPayload(step.key, true);
  const { answers: before } = expectationOf(model, { ...plainDelivery, key: step.key });
  const { uid, key } = model.current ?? { uid: "", key: undefined };
  const { url, proxy } = world.replicas[step.replica];
  const letter = { url, id: world.automationId, key, payload };
  const runRace = step.at === "any" ? raceFreely : raceHeld;
  const { answer, answers } = await runRace(stage, step, { before, proxy, uid, post: () => send(letter) });
  checkAnswer(answer, { answers });
  const mayPrecedeSuspension = step.change === "suspend" && (step.at === "any" || step.at === "answer");
  await adoptDelivery(world, model, payload, { answer, run: "maybe", mayPrecedeSuspension });
  return shown(answer);
}

interface Racing {
  /** What is answered as long as nothing has changed. */
  before: readonly Answer[];
  proxy: FaultProxy;
  /** Of the Automation that the delivery is for. */
  uid: string;
  post: () => Promise<Answer>;
}

interface Outcome {
  answer: Answer;
  /** Those that are right. */
  answers: readonly Answer[];
}

/** Either may come first, and the Runs of a deleted Automation may be gone before the delivery's is created. */
async function raceFreely(stage: Stage, { change: what }: RaceStep, { before, post }: Racing): Promise<Outcome> {
  const [answer] = await Promise.all([post(), change(stage, what)]);
  const forgotten = before.includes(skipped) && forgetsKeys.has(what) ? [triggered] : [];
  const between = what === "recreate" ? [refused(404)] : [];
  return { answer, answers: [...before, ...forgotten, ...between, afterwards[what]] };
}

/** The delivery is held at a moment of its way until the change is made and the controller has followed it. */
async function raceHeld(stage: Stage, { change: what, key, at }: RaceStep, racing: Racing): Promise<Outcome> {
  const { world, model } = stage;
  const { before, proxy, uid, post } = racing;
  const held = hold(proxy, at);
  const sent = post();
  // One that starts nothing never comes to its create.
  const isHeld = await Promise.race([held.reached, sent.then(() => false)]);
  await change(stage, what);
  if (world.operator) await world.until(() => leftBehind(world, model));
  const isForgotten = before.includes(skipped) && !(await hasRun(world, uid, key));
  held.release();
  const answer = await sent;
  proxy.decide(undefined);
  if (isHeld && at === "read") return { answer, answers: [afterwards[what]] };
  return { answer, answers: isHeld && at === "create" && isForgotten ? [triggered] : before };
}

/** Whether the Run of an idempotency key is there still: those of a deleted Automation go with it. */
async function hasRun({ commons, namespace, ledger }: World, uid: string, key: string | undefined): Promise<boolean> {
  const { items } = await commons.client.list(Run, { namespace });
  const names = key === undefined ? [] : ledger.runsOfKey(uid, key).map(({ name }) => name);
  return items.some(({ metadata }) => names.includes(metadata.name ?? ""));
}

interface Hold {
  /** Resolves with true when the delivery is there. */
  reached: Promise<true>;
  /** Lets the delivery go on. */
  release: () => void;
}

/** Holds the delivery that is sent next at a moment of its way. */
function hold(proxy: FaultProxy, at: Moment): Hold {
  const reached = Promise.withResolvers<true>();
  const released = Promise.withResolvers<undefined>();
  const wait = async (): Promise<undefined> => {
    reached.resolve(true);
    return released.promise;
  };
  proxy.decide((request) => {
    if (at === "read" && isRead(request)) return wait();
    if (at === "create" && isCreate(request)) return wait();
    return at === "answer" && isCreate(request) ? { kind: "between", run: wait } : undefined;
  });
  return { reached: reached.promise, release: () => released.resolve(undefined) };
}

const forgetsKeys: ReadonlySet<Change> = new Set(["delete", "recreate"]);

/** What is answered to the sender, who has the former key, once the change is made. */
const afterwards: Record<Change, Answer> = {
  delete: refused(404),
  recreate: refused(401),
  rotateKey: refused(401),
  suspend: nothing,
};
