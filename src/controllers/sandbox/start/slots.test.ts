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

function take(session: string, maxSandboxes = 2, since = "2026-05-04T10:00:00Z"): boolean {
  return slots.take({ className: "c", maxSandboxes, podKey: `pod-of-${session}`, sessionKey: session, since });
}

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
