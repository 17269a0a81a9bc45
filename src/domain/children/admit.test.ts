import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { admitChildren, type ObservedChild, usualChildLimits } from "./admit.ts";

function aChild(uid: string, change: Partial<ObservedChild> = {}): ObservedChild {
  return { uid, isWorking: true, isRefused: false, ...change };
}

const named = (count: number, prefix = "c"): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const total = "a session may have at most 15 child sessions in all (maxTotalChildSessions)";
const atOnce = "a session may have at most 5 child sessions at work at once (maxConcurrentChildSessions)";

describe("a new child", () => {
  it.each([
    { name: "beside 4 of 4 at work", before: 4, working: 4, refusal: undefined },
    { name: "beside 5 of 5 at work", before: 5, working: 5, refusal: atOnce },
    { name: "beside 5, 4 at work", before: 5, working: 4, refusal: undefined },
    { name: "after 14 that have ended", before: 14, working: 0, refusal: undefined },
    { name: "after 15 that have ended", before: 15, working: 0, refusal: total },
    { name: "after 15, 5 at work", before: 15, working: 5, refusal: total },
  ])("$name is refused with: $refusal", ({ before, working, refusal }) => {
    const admitted = named(before);
    const children = admitted.map((uid, index) => aChild(uid, { isWorking: index < working }));
    const decided = admitChildren({ admitted, active: 0 }, [...children, aChild("new")], usualChildLimits);
    const isIn = refusal === undefined;
    expect(decided).toEqual({
      admitted: isIn ? [...admitted, "new"] : admitted,
      active: isIn ? working + 1 : working,
      ...(isIn ? {} : { refused: [{ uid: "new", message: refusal }] }),
    });
  });

  it("counts towards the total although it is gone", () => {
    const known = { admitted: named(15), active: 5 };
    const decided = admitChildren(known, [aChild("new")], usualChildLimits);
    expect(decided).toEqual({ ...known, active: 0, refused: [{ uid: "new", message: total }] });
  });

  it("that no limit is the problem of is refused with that, and takes no place", () => {
    const children = [aChild("deep", { problem: "too deep" }), aChild("other")];
    expect(admitChildren(undefined, children, usualChildLimits)).toEqual({
      admitted: ["other"],
      active: 1,
      refused: [{ uid: "deep", message: "too deep" }],
    });
  });
});

it("says nothing of a session without children", () => {
  expect(admitChildren(undefined, [], usualChildLimits)).toBeUndefined();
});

it("stays refused when there is room again, and is forgotten once the child says so itself", () => {
  const known = { admitted: [], active: 0, refused: [{ uid: "late", message: atOnce }] };
  expect(admitChildren(known, [aChild("late")], usualChildLimits)).toEqual(known);
  const taken = admitChildren(known, [aChild("late", { isRefused: true })], usualChildLimits);
  expect(taken).toEqual({ admitted: [], active: 0 });
});

it("keeps at most 100 refusals and decides about the others later", () => {
  const limits = { maxConcurrentChildSessions: 0, maxTotalChildSessions: 0 };
  const children = named(101).map((uid) => aChild(uid));
  const first = admitChildren(undefined, children, limits);
  expect(first?.refused).toHaveLength(100);
  const later = children.map((child, index) => ({ ...child, isRefused: index < 100 }));
  expect(admitChildren(first, later, limits)?.refused?.map(({ uid }) => uid)).toEqual(["c100"]);
});

it("lets in the first ones and never more than both limits, however they come", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 12 }), { maxLength: 8 }),
      fc.nat(6),
      fc.nat(20),
      (batches, atOnceLimit, inAll) => {
        const limits = { maxConcurrentChildSessions: atOnceLimit, maxTotalChildSessions: inAll };
        const children = batches.flatMap((count, batch) => named(count, `b${batch}-`).map((uid) => aChild(uid)));
        let known: ReturnType<typeof admitChildren>;
        for (let seen = 0; seen <= children.length; seen += 3)
          known = admitChildren(known, children.slice(0, seen), limits);
        known = admitChildren(known, children, limits);
        const want = children.slice(0, Math.min(atOnceLimit, inAll)).map(({ uid }) => uid);
        expect(known?.admitted ?? []).toEqual(want);
      },
    ),
  );
});
