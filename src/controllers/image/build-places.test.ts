import { beforeEach, describe, expect, it } from "vitest";
import { aPrebuiltImage, aSandboxClass } from "../../../test/support/builders.ts";
import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { keyText, parseKey } from "../../lib/resource.ts";
import { SandboxSlots } from "../sandbox/start/slots.ts";
import { mostBuilds } from "./build-line.ts";
import { BuildPlaces, overdueMs } from "./build-places.ts";

const standard = aSandboxClass("standard", { maxSandboxes: 10, maxSandboxesPerNamespace: 9 });
const small = aSandboxClass("standard", { maxSandboxes: 4, maxSandboxesPerNamespace: 3 });
const inAll = `${mostBuilds} images are being built, which is as many as may be at once: namespaces take turns, and this one begins when one of them has ended`;
const inTurns =
  "other images are built first: namespaces take turns, and of one the image that waits longest is the next";
const inClass =
  "SandboxClass standard has no place that sessions do not need; after 30 minutes the image has the next one";

const start = Date.parse("2026-05-04T10:00:00.000Z");
let nowMs: number;
let building: PrebuiltImage[];
let pods: string[];
let classPlaces: SandboxSlots;
let woken: string[];
let places: BuildPlaces;
beforeEach(() => {
  nowMs = start;
  building = [];
  pods = [];
  woken = [];
  classPlaces = new SandboxSlots(
    (className) => new Set(className === "standard" ? pods : []),
    (key) => void woken.push(key),
  );
  places = new BuildPlaces({
    building: () => building,
    classPlaces,
    enqueue: (key) => void woken.push(`image ${keyText(key)}`),
  });
});

/** The image of `namespace/name`, which waits since then where it does. */
function image(key: string, waitsSinceMs?: number): PrebuiltImage {
  const { namespace, name } = parseKey(key);
  const queued = { type: "Reconciling", status: "True" as const, reason: "Queued", message: "" };
  const conditions =
    waitsSinceMs === undefined ? [] : [{ ...queued, lastTransitionTime: new Date(waitsSinceMs).toISOString() }];
  return aPrebuiltImage(name, { metadata: { namespace }, status: { conditions } });
}

function take(key: string, waitsSinceMs?: number, sandboxClass = standard): string | undefined {
  return places.take(image(key, waitsSinceMs), sandboxClass, new Date(nowMs));
}

it.each([
  { going: mostBuilds - 1, want: undefined },
  { going: mostBuilds, want: inAll },
])("beside $going builds", ({ going, want }) => {
  building = Array.from({ length: going }, (_, index) => image(`n${index}/b${index}`));
  expect(take("shop/web")).toBe(want);
});

it("counts what the API server does not show yet, until that is settled", () => {
  for (let index = 0; index < mostBuilds; index += 1) take(`shop/b${index}`);
  expect(take("shop/web")).toBe(inAll);
  expect(take("shop/b0")).toBeUndefined();
  places.settled(parseKey("shop/b0"));
  expect(take("shop/web")).toBeUndefined();
});

describe("namespaces take turns", () => {
  const big = (count: number): PrebuiltImage[] => Array.from({ length: count }, (_, index) => image(`big/b${index}`));

  beforeEach(() => {
    building = big(4);
    expect(take("big/first")).toBe(inAll);
    nowMs += 1_000;
    expect(take("small/second")).toBe(inAll);
  });

  it("a free place goes to the one that has fewer builds, not to the image that waits longer", () => {
    expect(places.next()).toEqual([]);
    building = big(3);
    expect(places.next()).toEqual([parseKey("small/second")]);
    expect(take("big/first", start)).toBe(inTurns);
    expect(take("small/second", start + 1_000)).toBeUndefined();
    building = [...big(2), image("small/second")];
    places.settled(parseKey("small/second"));
    expect(take("big/first", start)).toBeUndefined();
  });

  it("one that has none lets nobody wait that there is a place for as well", () => {
    building = big(2);
    expect(take("big/first", start)).toBeUndefined();
  });

  it("among images of one namespace the one that waits longest is the next", () => {
    places.leave(parseKey("small/second"));
    building = big(3);
    expect(take("big/later")).toBe(inTurns);
    expect(take("big/first", start)).toBeUndefined();
  });

  it("one that came back after a restart of the process is where it was", () => {
    expect(take("big/earliest", start - 1_000)).toBe(inAll);
    places.leave(parseKey("small/second"));
    building = big(3);
    expect(take("big/first", start)).toBe(inTurns);
    expect(take("big/earliest", start - 1_000)).toBeUndefined();
  });

  it("one that needs no place any more keeps none", () => {
    building = big(3);
    places.leave(parseKey("small/second"));
    expect(take("big/first", start)).toBeUndefined();
  });

  it("one whose class has no place for it keeps none", () => {
    building = big(3);
    pods = ["small/1", "small/2", "small/3"];
    expect(take("small/second", start + 1_000, small)).toBe(inClass);
    pods = [];
    expect(take("big/first", start)).toBeUndefined();
  });
});

describe("of one scope one image is built at a time", () => {
  /** An image of Repository `web` in `shop`, in a class of its own. */
  const ofWeb = (name: string, waitsSinceMs?: number, spec: Partial<PrebuiltImage["spec"]> = {}): PrebuiltImage => {
    const made = image(`shop/${name}`, waitsSinceMs);
    return { ...made, spec: { ...made.spec, repositoryRef: { name: "web" }, sandboxClassName: name, ...spec } };
  };
  const takeFor = (one: PrebuiltImage): string | undefined => places.take(one, standard, new Date(nowMs));

  it("one of another class waits for it", () => {
    building = [ofWeb("large")];
    expect(takeFor(ofWeb("small"))).toBe("PrebuiltImage large of the same Repository/web is being built");
  });

  it("one that was taken a moment ago counts", () => {
    expect(takeFor(ofWeb("large"))).toBeUndefined();
    expect(takeFor(ofWeb("small"))).toBe("PrebuiltImage large of the same Repository/web is being built");
  });

  it("they take turns: the one that waits longer is the next, however often the other one is to be built", () => {
    building = [ofWeb("large")];
    takeFor(ofWeb("small"));
    building = [];
    nowMs += 1;
    expect(takeFor(ofWeb("large"))).toBe(
      "PrebuiltImage small of the same Repository/web waits longer and is built first",
    );
    expect(places.next()).toEqual([parseKey("shop/small")]);
    expect(takeFor(ofWeb("small", start))).toBeUndefined();
  });

  it("one that waits for its turn keeps no place from others", () => {
    building = [ofWeb("large"), image("a/1"), image("b/1")];
    takeFor(ofWeb("small"));
    nowMs += 1;
    expect(take("shop/api")).toBeUndefined();
  });

  it.each([
    { name: "the same name in another namespace", one: image("other/web") },
    { name: "an Environment of that name", one: ofWeb("e", undefined, { environmentRef: { name: "web" } }) },
    { name: "another Repository", one: image("shop/api") },
  ])("$name is another scope", ({ one }) => {
    building = [ofWeb("large")];
    expect(takeFor(one)).toBeUndefined();
  });
});

// One place in ten, at least one, is for child sessions.
it.each([
  { what: "the class has a place", given: ["a/1", "b/1"], want: undefined },
  { what: "the class is full", given: ["a/1", "b/1", "c/1"], want: inClass },
  { what: "the namespace has a place", given: ["shop/1"], want: undefined },
  { what: "the namespace has all that it may have", given: ["shop/1", "shop/2"], want: inClass },
])("behind sessions for places: $what", ({ given, want }) => {
  pods = given;
  expect(take("shop/web", undefined, small)).toBe(want);
});

it("counts the pods of builds that the cache does not show yet against the class", () => {
  for (const key of ["a/web", "b/web", "c/web"]) expect(take(key, undefined, small)).toBeUndefined();
  expect(take("d/web", undefined, small)).toBe(inClass);
  places.settled(parseKey("a/web"));
  expect(take("d/web", undefined, small)).toBeUndefined();
});

describe("while sessions wait for the class", () => {
  /** A session's own place, or one that it waits for. */
  const session = (key: string): string =>
    classPlaces.take({
      className: "standard",
      maxSandboxes: 4,
      podKey: key,
      waiterKey: key,
      isChild: false,
      since: "2026-05-04T08:00:00Z",
    });
  const freed = (key: string): void => {
    classPlaces.settled(key);
    classPlaces.freed("standard");
  };

  beforeEach(() => {
    for (const key of ["a/1", "a/2", "a/3"]) session(key);
    expect(session("b/4")).toBe("classIsFull");
  });

  it.each([
    { waitedMs: overdueMs - 1, goesFirst: false },
    { waitedMs: overdueMs, goesFirst: true },
    { waitedMs: overdueMs + 1, goesFirst: true },
  ])("an image that has waited for $waitedMs ms has the next place: $goesFirst", ({ waitedMs, goesFirst }) => {
    nowMs += waitedMs;
    expect(take("shop/web", start, small)).toBe(inClass);
    freed("a/1");
    expect(woken.at(-1)).toBe(goesFirst ? "image shop/web" : "b/4");
    expect(take("shop/web", start, small)).toBe(goesFirst ? undefined : inClass);
    expect(session("b/4")).toBe(goesFirst ? "classIsFull" : "taken");
  });

  it("one at a time in a class, so that the others go behind sessions again", () => {
    nowMs += overdueMs;
    expect(take("shop/web", start, small)).toBe(inClass);
    expect(take("shop/api", start, small)).toBe(inClass);
    freed("a/1");
    expect(take("shop/web", start, small)).toBeUndefined();
    freed("a/2");
    expect(woken.at(-1)).toBe("image shop/api");
    expect(take("shop/api", start, small)).toBe(inClass);
    expect(woken.at(-1)).toBe("b/4");
    expect(session("b/4")).toBe("taken");
  });

  it("the next one in the class has its place when the build before it has ended", () => {
    nowMs += overdueMs;
    building = [image("shop/web")];
    expect(take("shop/api", start, small)).toBe(inClass);
    building = [];
    expect(take("shop/api", start, small)).toBe(inClass);
    freed("a/1");
    expect(take("shop/api", start, small)).toBeUndefined();
  });

  it.each<{ what: string; happens: () => void }>([
    { what: "needs none any more", happens: () => places.leave(parseKey("shop/web")) },
    {
      what: "is not the next among images",
      happens: () => {
        building = Array.from({ length: mostBuilds }, (_, index) => {
          const one = image(`n${index}/b`);
          return { ...one, spec: { ...one.spec, sandboxClassName: "other" } };
        });
        expect(take("shop/web", start, small)).toBe(inAll);
      },
    },
  ])("one that $what keeps no place from sessions", ({ happens }) => {
    nowMs += overdueMs;
    take("shop/web", start, small);
    happens();
    freed("a/1");
    expect(session("b/4")).toBe("taken");
  });

  it("an image and a session of one name wait beside each other", () => {
    nowMs += overdueMs;
    take("b/4", start, small);
    places.leave(parseKey("b/4"));
    freed("a/1");
    expect(woken.at(-1)).toBe("b/4");
  });
});

it("a session that waits for a place of its own namespace keeps none from images", () => {
  const limits = { className: "standard", maxSandboxes: 4, maxSandboxesPerNamespace: 0 };
  classPlaces.take({ ...limits, podKey: "a/1", waiterKey: "a/1", isChild: false, since: "" });
  expect(take("shop/web", undefined, small)).toBeUndefined();
});
