import { beforeEach, describe, expect, it } from "vitest";
import { aPrebuiltImage, aSandboxClass } from "../../../test/support/builders.ts";
import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { parseKey } from "../../lib/resource.ts";
import { mostBuilds } from "./build-line.ts";
import { BuildPlaces } from "./build-places.ts";

const standard = aSandboxClass("standard", { maxSandboxes: 4, maxSandboxesPerNamespace: 3 });
const inAll = `${mostBuilds} images are being built, which is as many as may be at once`;
const inTurns =
  "other images are built first: namespaces take turns, and of one the image that waits longest is the next";
const inClass = "SandboxClass standard has no place that sessions do not need";

const start = Date.parse("2026-05-04T10:00:00.000Z");
let nowMs: number;
let building: PrebuiltImage[];
let pods: string[];
let isAwaited: boolean;
let places: BuildPlaces;
beforeEach(() => {
  nowMs = start;
  building = [];
  pods = [];
  isAwaited = false;
  places = new BuildPlaces({
    building: () => building,
    podsOf: () => new Set(pods),
    isAwaited: () => isAwaited,
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

function take(key: string, waitsSinceMs?: number): string | undefined {
  return places.take(image(key, waitsSinceMs), standard, new Date(nowMs));
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
    expect(take("small/second", start + 1_000)).toBe(inClass);
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
  { what: "the namespace has all that it may have", given: ["shop/1", "shop/2", "shop/3"], want: inClass },
])("behind sessions for places: $what", ({ given, want }) => {
  pods = given;
  expect(take("shop/web")).toBe(want);
});

it("takes no place while a session waits for one", () => {
  isAwaited = true;
  expect(take("shop/web")).toBe(inClass);
});
