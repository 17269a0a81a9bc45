import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { groups } from "./groups/groups.ts";
import { readCounts } from "./support/counts.ts";
import { openWorld, type World } from "./support/world.ts";

// Each attempt of the table in docs/operate/security.md that needs a real kubelet, in one world: what comes of it, and at the end that
// counters have risen by as much as was tried.

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe.each(groups)("$title", ({ attempts, run }) => {
  let outcomes: Record<string, unknown>;
  beforeAll(async () => {
    outcomes = await run(world);
  });

  it.each(attempts)("$name", ({ name, outcome = "refused" }) => {
    expect(outcomes[name]).toEqual(outcome);
  });

  it("nothing but these", () => {
    expect(Object.keys(outcomes).sort()).toEqual(attempts.map(({ name }) => name).sort());
  });
});

describe("each refusal is counted", () => {
  const attempts = groups.flatMap((group) => group.attempts).filter(({ counted }) => counted !== undefined);
  const counts = [...Map.groupBy(attempts, ({ counted = "" }) => counted)].map(([count, of]) => ({
    count,
    of: of.length,
  }));

  it.each(counts)("$of by $count", async ({ count, of }) => {
    // Runtimes report what they have refused a second later.
    const raised = async (): Promise<number> => {
      return ((await readCounts(world.stage.bench)).get(count) ?? 0) - (world.before.get(count) ?? 0);
    };
    await expect.poll(raised, { interval: 500 }).toBeGreaterThanOrEqual(of);
  });
});
