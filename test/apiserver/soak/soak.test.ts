import { afterEach, beforeEach, expect, it } from "vitest";

import type { ControlPlane } from "../../../hack/cluster/cluster.ts";
import { soak } from "../../soak/soak.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import { isThorough } from "../../support/thorough.ts";

const { seconds, warmUpRuns } = isThorough() ? { seconds: 60, warmUpRuns: 12 } : { seconds: 1, warmUpRuns: 4 };

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startEquippedControlPlane();
  await plane.startControllerManager();
});
afterEach(() => plane.stop());

it(`misses no event, loses no delivery and leaves nothing open in ${seconds} s of faulty connections`, async () => {
  const { violations, accepted, trouble } = await soak({ plane, seed: 1, seconds, warmUpRuns, lanes: 4 });
  expect(violations).toEqual([]);
  expect(accepted).toBeGreaterThan(0);
  // A sample is too short for all of them.
  if (!isThorough()) return;
  for (const kind of ["refuse", "lose", "delay", "watch: reset", "watch: expired"])
    expect(trouble[kind], kind).toBeGreaterThan(0);
});

/** That what the other test looks for is found; a sample has no time for it. */
if (isThorough())
  it("finds that a watch has left events out", async () => {
    const { violations } = await soak({
      plane,
      seed: 1,
      seconds: 5,
      lanes: 2,
      // A watch that is listed anew would make good for it.
      isCalm: true,
      misses: (process, plural, { type }) => process === "gateway" && plural === "sessions" && type === "DELETED",
    });
    expect(violations).toEqual([expect.stringMatching(/^the gateway has missed changes of \d+ sessions$/)]);
  });
