import { change } from "./changes.ts";
import { adoptDelivery, checkAnswer, expectationOf, nothing, refused, skipped, triggered } from "./deliveries.ts";
import { type Answer, send, shown } from "./send.ts";
import { plainDelivery, type Stage } from "./stage.ts";
import type { Change, Step } from "./steps.ts";

/** Sends one delivery to both replicas at once: with an idempotency key it is one event. */
export async function deliverTwice(
  { world, model }: Stage,
  { key }: Pick<Extract<Step, { do: "deliverTwice" }>, "key">,
): Promise<string> {
  const step = { ...plainDelivery, key };
  const { answers } = expectationOf(model, step);
  const isShared = key !== undefined && answers.includes(triggered);
  const payloads = [world.nextPayload(key, true), world.nextPayload(key, true)];
  const sent = await Promise.all(
    payloads.map((payload, index) => {
      const { url } = world.replicas[index as 0 | 1];
      return send({ url, id: world.automationId, key: model.current?.key ?? model.previousKey, payload });
    }),
  );
  const first = sent.findIndex((answer) => answer !== "none" && answer.triggered === 1);
  for (const [index, answer] of sent.entries()) {
    const wanted = isShared && index !== first ? [skipped] : answers;
    checkAnswer(answer, { answers: wanted });
    const isStarted = wanted.includes(triggered);
    await adoptDelivery(world, model, payloads[index]!, { answer, run: isStarted ? "yes" : "no" });
  }
  return sent.map(shown).join(", ");
}

/** Sends a delivery while something changes: either order is right, and the answer must say which it was. */
export async function race(
  stage: Stage,
  { change: what, replica, key: idempotencyKey }: Extract<Step, { do: "race" }>,
): Promise<string> {
  const { world, model } = stage;
  const payload = world.nextPayload(idempotencyKey, true);
  const { answers } = expectationOf(model, { ...plainDelivery, key: idempotencyKey });
  const letter = { url: world.replicas[replica].url, id: world.automationId, key: model.current?.key, payload };
  const [answer] = await Promise.all([send(letter), change(stage, what)]);
  const isForgotten = idempotencyKey !== undefined && forgetsKeys.has(what) && answers.includes(skipped);
  checkAnswer(answer, { answers: [...answers, ...(isForgotten ? [triggered] : []), ...afterwards[what]] });
  await adoptDelivery(world, model, payload, { answer, run: "maybe" });
  return shown(answer);
}

/**
 * Runs go with their Automation, and with them what its idempotency keys stand for: a delivery that was judged before the
 * deletion and is stored after it meets nobody, and its Run follows the Automation.
 */
const forgetsKeys: ReadonlySet<Change> = new Set(["delete", "recreate"]);

const afterwards: Record<Change, readonly Answer[]> = {
  delete: [refused(404)],
  recreate: [refused(404), refused(401)],
  rotateKey: [refused(401)],
  suspend: [nothing],
};
