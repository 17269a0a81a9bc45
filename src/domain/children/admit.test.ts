import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { admitChildren, type ObservedChild, usualChildLimits } from "./admit.ts";

function aChild(uid: string, change: Partial<ObservedChild> = {}): ObservedChild {
  return { uid, isWorking: true, unfinished: [], isQueued: false, isRefused: false, ...change };
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
      working: [...admitted.slice(0, working), ...(isIn ? ["new"] : [])],
      ...(isIn ? {} : { refused: [{ uid: "new", message: refusal }] }),
    });
  });

  it("counts towards the total although it is gone", () => {
    const known = { admitted: named(15), active: 5 };
    const decided = admitChildren(known, [aChild("new")], usualChildLimits);
    expect(decided).toEqual({ ...known, active: 0, working: [], refused: [{ uid: "new", message: total }] });
  });

  it("that no limit is the problem of is refused with that, and takes no place", () => {
    const children = [aChild("deep", { problem: "too deep" }), aChild("other")];
    expect(admitChildren(undefined, children, usualChildLimits)).toEqual({
      admitted: ["other"],
      active: 1,
      working: ["other"],
      refused: [{ uid: "deep", message: "too deep" }],
    });
  });
});

describe("a child that has a prompt again", () => {
  it.each([
    { going: 3, returning: 1, want: 1 },
    { going: 4, returning: 1, want: 1 },
    { going: 4, returning: 2, want: 1 },
    { going: 5, returning: 1, want: 0 },
    { going: 0, returning: 15, want: 5 },
  ])("beside $going at work, of $returning such: $want begin", ({ going, returning, want }) => {
    const admitted = [...named(returning, "r"), ...named(going)];
    const known = { admitted, active: going, working: named(going) };
    const decided = admitChildren(
      known,
      admitted.map((uid) => aChild(uid)),
      usualChildLimits,
    );
    expect(decided).toEqual({
      admitted,
      active: going + want,
      working: [...named(going), ...named(want, "r")],
    });
  });

  it("keeps its place from prompt to prompt, also where the limit was lowered or nothing was noted before", () => {
    const admitted = named(6);
    const children = admitted.map((uid) => aChild(uid));
    for (const working of [admitted, undefined]) {
      const decided = admitChildren({ admitted, active: 6, working }, children, usualChildLimits);
      expect(decided?.working).toEqual(admitted);
    }
  });
});

it("says nothing of a session without children", () => {
  expect(admitChildren(undefined, [], usualChildLimits)).toBeUndefined();
});

it("stays refused when there is room again, and is forgotten once the child says so itself", () => {
  const known = { admitted: [], active: 0, working: [], refused: [{ uid: "late", message: atOnce }] };
  expect(admitChildren(known, [aChild("late")], usualChildLimits)).toEqual(known);
  const taken = admitChildren(known, [aChild("late", { isRefused: true })], usualChildLimits);
  expect(taken).toEqual({ admitted: [], active: 0, working: [] });
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
