import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { GatewayAnswer } from "./gateway-api.ts";

const mostTries = 3;
/** Milliseconds between two tries, as the gateway's `Retry-After` has it. */
export const pauseMs = 2_000;

/** The last answer, and how often it was asked for. */
export interface AskedAgain {
  answer: GatewayAnswer;
  tries: number;
}

/** Asks at most 3 times, while the gateway answers 503. For requests whose repeat does no harm. */
export async function askAgain(
  clock: Pick<Clock, "setTimeout">,
  ask: () => Promise<GatewayAnswer>,
): Promise<AskedAgain> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.status !== 503 || tries === mostTries) return { answer, tries };
    await sleep(clock, pauseMs);
  }
}
