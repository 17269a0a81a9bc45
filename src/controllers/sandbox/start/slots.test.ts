import { beforeEach, expect, it } from "vitest";
import { SandboxSlots } from "./slots.ts";

let pods: Set<string>;
let woken: string[];
let slots: SandboxSlots;

beforeEach(() => {
  pods = new Set();
  woken = [];
  slots = new SandboxSlots(
    () => pods,
    (key) => void woken.push(key),
  );
});

/** Takes a place for a child, or with `isChild: false` for another session. */
function take(session: string, maxSandboxes = 2, since = "2026-05-04T10:00:00Z", isChild = true): boolean {
  return slots.take({ className: "c", maxSandboxes, podKey: `pod-of-${session}`, sessionKey: session, isChild, since });
}

const takeAsRoot = (session: string, maxSandboxes: number): boolean => take(session, maxSandboxes, undefined, false);

it.each([
  { maxSandboxes: 0, forOthers: 0 },
  { maxSandboxes: 1, forOthers: 1 },
  { maxSandboxes: 2, forOthers: 1 },
  { maxSandboxes: 10, forOthers: 9 },
  { maxSandboxes: 19, forOthers: 18 },
  { maxSandboxes: 20, forOthers: 18 },
])("of $maxSandboxes places sessions that are no children take $forOthers", ({ maxSandboxes, forOthers }) => {
  const taken = Array.from({ length: maxSandboxes + 1 }, (_, index) => takeAsRoot(`root-${index}`, maxSandboxes));
  expect(taken.filter(Boolean)).toHaveLength(forOthers);
  const children = Array.from({ length: maxSandboxes + 1 }, (_, index) => take(`child-${index}`, maxSandboxes));
  expect(children.filter(Boolean)).toHaveLength(maxSandboxes - forOthers);
});

it("wakes a child and another session when a place may be free", () => {
  takeAsRoot("parent", 2);
  take("child", 2);
  take("sibling", 2, "2026-05-04T12:00:00Z");
  takeAsRoot("other", 2);
  slots.settled("pod-of-child");
  slots.freed("c");
  expect(woken).toEqual(["sibling", "other"]);
  expect(takeAsRoot("other", 2)).toBe(false);
  expect(take("sibling", 2)).toBe(true);
});

it("gives as many places as the class has", () => {
  expect([take("a"), take("b"), take("c")]).toEqual([true, true, false]);
});

it("gives none where the class has none", () => {
  expect(take("a", 0)).toBe(false);
});

it("counts pods that the cache shows, and a pod once", () => {
  pods.add("pod-of-a");
  expect(take("a", 1)).toBe(true);
  pods.add("pod-of-b");
  expect(take("c")).toBe(false);
});

it("counts a place again when its pod was never made", () => {
  take("a", 1);
  slots.settled("pod-of-a");
  expect(take("b", 1)).toBe(true);
});

it("lets no session overtake one that waits longer", () => {
  take("a", 1);
  take("late", 1, "2026-05-04T12:00:00Z");
  take("early", 1, "2026-05-04T11:00:00Z");
  slots.settled("pod-of-a");
  slots.freed("c");
  expect(woken).toEqual(["early"]);
  expect(take("late", 1)).toBe(false);
  expect(take("new", 1, "2026-05-04T13:00:00Z")).toBe(false);
  expect(take("early", 1)).toBe(true);
});

it("passes a place on when who was woken needs it no more", () => {
  take("a", 1);
  take("b", 1, "2026-05-04T11:00:00Z");
  take("c", 1, "2026-05-04T12:00:00Z");
  slots.settled("pod-of-a");
  slots.leave("b");
  expect(woken).toEqual(["c"]);
});

it("wakes all that wait when the class changes, and none of another class", () => {
  take("a", 1);
  take("b", 1, "2026-05-04T11:00:00Z");
  take("c", 1, "2026-05-04T12:00:00Z");
  slots.changed("other");
  expect(woken).toEqual([]);
  slots.changed("c");
  expect(woken).toEqual(["b", "c"]);
});
