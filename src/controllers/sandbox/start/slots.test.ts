import { beforeEach, describe, expect, it } from "vitest";
import { SandboxSlots, type Taking } from "./slots.ts";

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

interface Wanted {
  isChild?: boolean;
  since?: string;
  perNamespace?: number | undefined;
  isNext?: boolean;
  wake?: () => void;
}

/** Takes a place for a session, `namespace/name`, whose pod has the name of the session. */
function tryTake(key: string, maxSandboxes: number, wanted: Wanted = {}): Taking {
  const { isChild = true, since = "2026-05-04T10:00:00Z", perNamespace, ...more } = wanted;
  const places = { maxSandboxes, maxSandboxesPerNamespace: perNamespace };
  return slots.take({ className: "c", ...places, podKey: key, waiterKey: key, isChild, since, ...more });
}

/** Takes a place for a child of namespace `n`. */
function take(session: string, maxSandboxes = 2, since?: string): boolean {
  return tryTake(`n/${session}`, maxSandboxes, since === undefined ? {} : { since }) === "taken";
}

const takeAsRoot = (session: string, maxSandboxes: number): boolean =>
  tryTake(`n/${session}`, maxSandboxes, { isChild: false }) === "taken";

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
  slots.settled("n/child");
  slots.freed("c");
  expect(woken).toEqual(["n/sibling", "n/other"]);
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
  pods.add("n/a");
  expect(take("a", 1)).toBe(true);
  pods.add("n/b");
  expect(take("c")).toBe(false);
});

it("counts a place again when its pod was never made", () => {
  take("a", 1);
  slots.settled("n/a");
  expect(take("b", 1)).toBe(true);
});

it("lets no session overtake one that waits longer", () => {
  take("a", 1);
  take("late", 1, "2026-05-04T12:00:00Z");
  take("early", 1, "2026-05-04T11:00:00Z");
  slots.settled("n/a");
  slots.freed("c");
  expect(woken).toEqual(["n/early"]);
  expect(take("late", 1, "2026-05-04T12:00:00Z")).toBe(false);
  expect(take("new", 1, "2026-05-04T13:00:00Z")).toBe(false);
  expect(take("early", 1, "2026-05-04T11:00:00Z")).toBe(true);
});

it("passes a place on when who was woken needs it no more", () => {
  take("a", 1);
  take("b", 1, "2026-05-04T11:00:00Z");
  take("c", 1, "2026-05-04T12:00:00Z");
  slots.settled("n/a");
  slots.leave("n/b");
  expect(woken).toEqual(["n/c"]);
});

it("wakes all that wait when the class changes, and none of another class", () => {
  take("a", 1);
  take("b", 1, "2026-05-04T11:00:00Z");
  take("c", 1, "2026-05-04T12:00:00Z");
  slots.changed("other");
  expect(woken).toEqual([]);
  slots.changed("c");
  expect(woken).toEqual(["n/b", "n/c"]);
});

describe("among namespaces", () => {
  /** The pod of a session is deleted. */
  function end(key: string): void {
    pods.delete(key);
    slots.settled(key);
    slots.freed("c");
  }

  it("gives a free place to the one that has the fewest, not to the oldest session", () => {
    const hours = { "big/3": "08", "big/4": "09", "small/2": "11", "new/1": "12" };
    const since = (key: string): string => `2026-05-04T${new Map(Object.entries(hours)).get(key)}:00:00Z`;
    for (const key of ["big/1", "big/2", "small/1"]) tryTake(key, 3);
    for (const key of Object.keys(hours)) tryTake(key, 3, { since: since(key) });
    const order: string[] = [];
    for (const ended of ["big/1", "small/1", "big/2", "new/1"]) {
      end(ended);
      const next = woken.at(-1)!;
      expect(tryTake(next, 3, { since: since(next) })).toBe("taken");
      order.push(next);
    }
    expect(order).toEqual(["new/1", "small/2", "big/3", "big/4"]);
  });

  it("lets one that comes now, and has fewer, go before those that wait", () => {
    for (const key of ["big/1", "big/2"]) tryTake(key, 2);
    tryTake("big/3", 2);
    pods.delete("big/1");
    slots.settled("big/1");
    expect(tryTake("small/1", 2)).toBe("taken");
    expect(tryTake("big/3", 2)).toBe("classIsFull");
  });

  it("counts the pods that the cache shows by their namespace", () => {
    pods = new Set(["big/of-another-name"]);
    expect(tryTake("big/1", 10, { perNamespace: 1 })).toBe("namespaceIsFull");
    expect(tryTake("small/1", 10, { perNamespace: 1 })).toBe("taken");
  });

  it.each([
    { perNamespace: 0, forOthers: 0 },
    { perNamespace: 1, forOthers: 1 },
    { perNamespace: 2, forOthers: 1 },
    { perNamespace: 10, forOthers: 9 },
    { perNamespace: 20, forOthers: 18 },
  ])("gives one at most $perNamespace places, $forOthers of them to sessions that are no children", (row) => {
    const { perNamespace, forOthers } = row;
    const keys = Array.from({ length: perNamespace + 1 }, (_, index) => index);
    const roots = keys.map((index) => tryTake(`big/r${index}`, 100, { isChild: false, perNamespace }));
    expect(roots.filter((taking) => taking === "taken")).toHaveLength(forOthers);
    const children = keys.map((index) => tryTake(`big/c${index}`, 100, { perNamespace }));
    expect(children.filter((taking) => taking === "taken")).toHaveLength(perNamespace - forOthers);
    expect(children.at(-1)).toBe("namespaceIsFull");
    expect(tryTake("small/1", 100, { perNamespace, isChild: false })).toBe(forOthers > 0 ? "taken" : "namespaceIsFull");
  });

  it("keeps no place for those whose namespace has no more, and wakes them when it has one again", () => {
    const perNamespace = 1;
    tryTake("big/1", 2, { perNamespace });
    expect(tryTake("big/2", 2, { perNamespace, since: "2026-05-04T08:00:00Z" })).toBe("namespaceIsFull");
    expect(tryTake("small/1", 2, { perNamespace })).toBe("taken");
    woken = [];
    end("small/1");
    expect(woken).toEqual([]);
    end("big/1");
    expect(woken).toEqual(["big/2"]);
    expect(tryTake("big/2", 2, { perNamespace })).toBe("taken");
  });

  it("refuses nothing that runs when the limit falls below it", () => {
    for (const key of ["big/1", "big/2"]) tryTake(key, 10);
    expect(tryTake("big/1", 10, { perNamespace: 1 })).toBe("taken");
    expect(tryTake("big/3", 10, { perNamespace: 1 })).toBe("namespaceIsFull");
  });
});

describe("one that is the next whoever waits", () => {
  const next = { isChild: false, since: "2026-05-04T12:00:00Z", isNext: true };
  const root = { isChild: false };
  let isWoken: boolean;
  const wake = (): void => void (isWoken = true);

  beforeEach(() => {
    isWoken = false;
    tryTake("big/1", 3, root);
    tryTake("big/2", 3, root);
    expect(tryTake("small/1", 3, root)).toBe("classIsFull");
    expect(tryTake("big/image", 3, { ...next, wake })).toBe("classIsFull");
    woken = [];
  });

  it("gets the next place, before a namespace that has fewer and before those that wait longer", () => {
    slots.settled("big/1");
    slots.freed("c");
    expect([isWoken, woken]).toEqual([true, []]);
    expect(tryTake("small/1", 3, root)).toBe("classIsFull");
    expect(tryTake("big/image", 3, next)).toBe("taken");
  });

  it("passes the place on when it needs none any more", () => {
    slots.settled("big/1");
    slots.leave("big/image");
    expect(woken).toEqual(["small/1"]);
    expect(tryTake("small/1", 3, root)).toBe("taken");
  });

  it("is woken when the class changes", () => {
    slots.changed("c");
    expect([isWoken, woken]).toEqual([true, ["small/1"]]);
  });

  it("takes none of those for child sessions, and keeps none from them", () => {
    expect(tryTake("big/child", 3)).toBe("taken");
    expect(tryTake("big/image", 3, next)).toBe("classIsFull");
  });

  it("takes none beyond those of its namespace, and keeps none from others then", () => {
    slots.settled("big/1");
    expect(tryTake("big/image", 3, { ...next, perNamespace: 1 })).toBe("namespaceIsFull");
    expect(tryTake("small/1", 3, root)).toBe("taken");
  });
});

describe("a place that nobody waits for", () => {
  const spare = (key: string, maxSandboxes: number, perNamespace?: number): boolean =>
    slots.hasSpare({ className: "c", namespace: key, maxSandboxes, maxSandboxesPerNamespace: perNamespace });

  it.each([
    { what: "of 4, one of which is for child sessions, 2 are taken", taken: 2, want: true },
    { what: "of 4, one of which is for child sessions, 3 are taken", taken: 3, want: false },
  ])("$what", ({ taken, want }) => {
    for (let index = 0; index < taken; index += 1) tryTake(`n${index}/1`, 4);
    expect(spare("shop", 4)).toBe(want);
  });

  it.each([
    { perNamespace: 4, want: true },
    { perNamespace: 3, want: false },
  ])("in a namespace with 2 of $perNamespace, one of which is for child sessions", ({ perNamespace, want }) => {
    for (const key of ["shop/1", "shop/2"]) tryTake(key, 100);
    expect(spare("shop", 100, perNamespace)).toBe(want);
  });

  it("is none while a session waits for it", () => {
    for (const key of ["a/1", "a/2", "a/3"]) tryTake(key, 3);
    expect(tryTake("b/1", 3)).toBe("classIsFull");
    slots.settled("a/1");
    slots.settled("a/2");
    expect(spare("shop", 3)).toBe(false);
    slots.leave("b/1");
    expect(spare("shop", 3)).toBe(true);
  });

  it("is there while a session waits for a place of its namespace alone", () => {
    tryTake("full/1", 10, { perNamespace: 1 });
    expect(tryTake("full/2", 10, { perNamespace: 1 })).toBe("namespaceIsFull");
    expect(spare("shop", 10, 1)).toBe(true);
  });
});
