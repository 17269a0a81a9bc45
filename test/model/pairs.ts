import { adoptDelivery, checkAnswer, expectationOf, skipped, triggered } from "./deliveries.ts";
import { send, shown } from "./send.ts";
import { plainDelivery, type Stage } from "./stage.ts";
import type { Step } from "./steps.ts";

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
