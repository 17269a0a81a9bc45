import { expect, it } from "vitest";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { Pace } from "./pace.ts";

const [own, stranger] = ["own", "stranger"].map((uid) => ({ metadata: { uid } }) as Integration) as [
  Integration,
  Integration,
];

/** A pace, and what has had its turn. */
function paced() {
  const clock = new FakeClock();
  const pace = new Pace(clock);
  const had: string[] = [];
  const ask = (name: string, integration: Integration, channel: string): void => {
    void pace.turn(integration, channel).then(() => had.push(name));
  };
  const after = async (ms: number): Promise<readonly string[]> => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
    return had;
  };
  return { ask, after };
}

it("spaces the messages of a channel, and of no other", async () => {
  const { ask, after } = paced();
  ask("first", own, "C1");
  ask("second", own, "C1");
  ask("other", own, "C2");
  expect(await after(1_099)).toEqual(["first", "other"]);
  expect(await after(1)).toEqual(["first", "other", "second"]);
});

it("lets no Integration wait for what another one posts under the id of its channel", async () => {
  const { ask, after } = paced();
  for (let at = 0; at < 30; at += 1) ask("stranger", stranger, "C1");
  ask("own", own, "C1");
  expect(await after(0)).toEqual(["stranger", "own"]);
});
