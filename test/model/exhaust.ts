import { adoptDelivery, checkAnswer, expectationOf, refused, triggered } from "./deliveries.ts";
import { type Answer, send, shown } from "./send.ts";
import { plainDelivery, type Stage } from "./stage.ts";
import type { DeliverStep, Step } from "./steps.ts";

/** How many Runs one replica starts at once, and how many requests with the key it takes; one more comes each second. */
export const startBurst = 3;
export const requestBurst = 6;

/** After it both are there again. */
const refillMs = 10_000;

const matching: DeliverStep = plainDelivery;
const beyondStarts: readonly DeliverStep[] = [matching, { ...matching, key: "a" }, { ...matching, matches: false }];

/** Sends so many deliveries at one instant that no Run may be started any more, and then no request taken. */
export async function exhaust(stage: Stage, { replica }: Extract<Step, { do: "exhaust" }>): Promise<string> {
  const { clock } = stage.world;
  clock.advance(refillMs);
  const said: Answer[] = [];
  const take = async (step: DeliverStep, wanted: Answer): Promise<void> => {
    said.push(await sendOne(stage, { ...step, replica }, wanted));
  };
  const usual = (step: DeliverStep): Answer => expectationOf(stage.model, step).answers[0]!;
  for (let count = 0; count < startBurst; count += 1) await take(matching, usual(matching));
  // Duplicates and what starts nothing need no token.
  for (const step of beyondStarts) await take(step, usual(step) === triggered ? refused(429) : usual(step));
  await take({ ...matching, matches: false }, refused(429));
  await take({ ...matching, credential: "none" }, refused(401));
  clock.advance(refillMs);
  return said.map(shown).join(", ");
}

async function sendOne({ world, model }: Stage, step: DeliverStep, wanted: Answer): Promise<Answer> {
  const payload = world.nextPayload(step.key, step.matches);
  const key = step.credential === "none" ? undefined : model.current?.key;
  const answer = await send({ url: world.replicas[step.replica].url, id: world.automationId, key, payload });
  checkAnswer(answer, { answers: [wanted] });
  await adoptDelivery(world, model, payload, { answer, run: wanted === triggered ? "yes" : "no" });
  return answer;
}
