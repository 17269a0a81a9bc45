import { afterAll, expect, it } from "vitest";

import { plantedBugs } from "./planted-bugs.ts";
import { Threads } from "./threads.ts";

/** Histories in which a bug has to show itself. */
const mostSeeds = 100;

const threads = new Threads();
afterAll(() => threads.end());

it.concurrent.each(plantedBugs)("finds $name", async ({ name, seenAt = 1 }) => {
  const isFoundAt = async (seed: number): Promise<boolean> => {
    const { failure } = await threads.play({ seed, steps: 500, bug: name });
    return failure !== undefined;
  };
  let seed = seenAt;
  while (seed < seenAt + mostSeeds && !(await isFoundAt(seed))) seed += 1;
  expect(seed).toBeLessThan(seenAt + mostSeeds);
});
