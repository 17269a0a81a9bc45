import { expect, it } from "vitest";

import { isThorough } from "../support/thorough.ts";
import { usualRates } from "./faults.ts";
import { History } from "./history.ts";
import { playHistories } from "./play-histories.ts";

/** Of the same seeds in each run, so that a failure is there again. */
const histories = isThorough()
  ? [
      { count: 300, steps: 500 },
      { count: 100, steps: 2_000 },
    ]
  : [{ count: 50, steps: 500 }];

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

it.each(histories)("keeps every promise in each of $count histories of $steps steps", async ({ count, steps }) => {
  const played = await playHistories({ count, steps });
  expect(played).toHaveLength(count);
  expect(played.map(({ failure }) => failure).filter((failure) => failure !== undefined)).toEqual([]);
});
