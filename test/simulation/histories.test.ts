import { expect, it } from "vitest";

import { isThorough } from "../support/thorough.ts";
import { usualRates } from "./faults.ts";
import { History } from "./history.ts";
import { playHistories } from "./play-histories.ts";

/** Of the same seeds in each run, so that a failure is there again. */
const count = isThorough() ? 300 : 50;

it("comes to rest where nothing goes wrong", async () => {
  const history = new History({ seed: 1, steps: 0 });
  await history.play();
  expect(history.invariants.isSettled()).toBe(true);
});

it.each([
  { what: "archive", seed: 7 },
  { what: "connector", seed: 25 },
])("is the same again for the same seed, with $what", async ({ seed }) => {
  const play = async (): Promise<string> => {
    const history = new History({ seed, steps: 300, rates: usualRates });
    await history.play();
    return JSON.stringify(history.cluster.store.changes);
  };
  expect(await play()).toBe(await play());
});

it(`keeps every promise in each of ${count} histories`, async () => {
  const histories = await playHistories({ count });
  expect(histories).toHaveLength(count);
  expect(histories.map(({ failure }) => failure).filter((failure) => failure !== undefined)).toEqual([]);
});
