import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { pageOf, type Position } from "./page.ts";

interface Entry {
  ms: number;
  id: string;
}

const positionOf = ({ ms, id }: Entry): Position => [ms, id];
const entries = (count: number): Entry[] => Array.from({ length: count }, (_, at) => ({ ms: at, id: `ns.a${at}` }));

function walk(list: readonly Entry[], limit: number): Entry[][] {
  const pages: Entry[][] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = pageOf(list, positionOf, { limit, cursor });
    pages.push(page.entries);
    expect(page.hasMore).toBe(page.nextCursor !== null);
    if (page.nextCursor === null) return pages;
    cursor = page.nextCursor;
  }
}

describe("pages", () => {
  it.each([
    { count: 0, pages: [0] },
    { count: 24, pages: [24] },
    { count: 25, pages: [25] },
    { count: 26, pages: [25, 1] },
    { count: 50, pages: [25, 25] },
  ])("of 25 entries: $count make $pages", ({ count, pages }) => {
    expect(walk(entries(count), 25).map(({ length }) => length)).toEqual(pages);
  });

  it("lose and repeat nothing, whatever the instants", () => {
    const anEntry = fc.record({ ms: fc.nat(3), id: fc.stringMatching(/^[a-c]{1,2}\.[a-c]{1,2}$/) });
    const aList = fc.uniqueArray(anEntry, { selector: ({ id }) => id, maxLength: 30 });
    fc.assert(
      fc.property(aList, fc.integer({ min: 1, max: 7 }), (list, limit) => {
        const seen = walk(list, limit).flat();
        expect(seen).toHaveLength(list.length);
        expect(new Set(seen)).toEqual(new Set(list));
        expect(seen.map(({ ms }) => ms)).toEqual(list.map(({ ms }) => ms).sort((a, b) => b - a));
      }),
    );
  });

  it("go on where they were when newer entries come and the last one seen goes", () => {
    const list = entries(4);
    const first = pageOf(list, positionOf, { limit: 2 });
    const later = [...list.filter(({ ms }) => ms !== 2), { ms: 9, id: "ns.new" }];
    const second = pageOf(later, positionOf, { limit: 2, cursor: first.nextCursor ?? "" });
    expect(second.entries.map(({ ms }) => ms)).toEqual([1, 0]);
  });

  it("begin at the beginning with an empty cursor", () => {
    expect(pageOf(entries(1), positionOf, { limit: 1, cursor: "" }).entries).toHaveLength(1);
  });
});
