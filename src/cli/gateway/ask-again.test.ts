import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { askAgain } from "./ask-again.ts";

async function ask(statuses: number[]): Promise<{ status: number; tries: number; askedAtMs: number[] }> {
  const clock = new FakeClock();
  const askedAtMs: number[] = [];
  const asking = askAgain(clock, () => {
    askedAtMs.push(clock.monotonicMs());
    return Promise.resolve({ status: statuses.shift() ?? 0, body: undefined });
  });
  for (let second = 0; second < 10; second += 1) {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    clock.advance(1_000);
  }
  const { answer, tries } = await asking;
  return { status: answer.status, tries, askedAtMs };
}

it.each([
  [[200], 200, [0]],
  [[409, 200], 409, [0]],
  [[500, 200], 500, [0]],
  [[503, 200], 200, [0, 2_000]],
  [[503, 503, 200], 200, [0, 2_000, 4_000]],
  [[503, 503, 503, 200], 503, [0, 2_000, 4_000]],
])("answers %j come to %i", async (statuses, status, askedAtMs) => {
  expect(await ask(statuses)).toEqual({ status, tries: askedAtMs.length, askedAtMs });
});
