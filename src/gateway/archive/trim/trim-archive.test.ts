import { describe, expect, it } from "vitest";

import { archiveInMemory } from "../../../../test/support/archive-in-memory.ts";
import { itKeepsBudgets } from "../../../../test/support/archive-budgets-contract.ts";
import { trimArchive } from "./trim-archive.ts";

describe("in memory", () => itKeepsBudgets(() => Promise.resolve(archiveInMemory())));

it.each([
  [199, true],
  [200, false],
  [201, false],
])("of %i transactions that are wanted one look makes 200 at most", async (wanted, isDone) => {
  let steps = 0;
  const store = {
    sizes: () => Promise.resolve(new Map([["team", wanted]])),
    trim: () => ((steps += 1), Promise.resolve({ rows: 1, bytes: 1 })),
  };
  const look = await trimArchive(store, { term: 1, bounds: { namespace: 0, total: 0 }, trimmed: () => undefined });
  expect(steps).toBe(Math.min(wanted, 200));
  expect(look).toEqual({ bytes: wanted - steps, isDone });
});
