import { beforeEach, expect, it } from "vitest";
import { aSandboxClass } from "../../../test/support/builders.ts";
import type { ObjectKey } from "../../lib/resource.ts";
import { BuildPlaces, mostBuilds } from "./build-places.ts";

const key = (name: string, namespace = "shop"): ObjectKey => ({ namespace, name });
const standard = aSandboxClass("standard", { maxSandboxes: 4, maxSandboxesPerNamespace: 3 });
const inAll = `${mostBuilds} images are being built, which is as many as may be at once`;
const inClass = "SandboxClass standard has no place that sessions do not need";

let building: ObjectKey[];
let pods: string[];
let isAwaited: boolean;
let places: BuildPlaces;
beforeEach(() => {
  building = [];
  pods = [];
  isAwaited = false;
  places = new BuildPlaces({
    building: () => building,
    podsOf: () => new Set(pods),
    isAwaited: () => isAwaited,
  });
});

it.each([
  { going: mostBuilds - 1, want: undefined },
  { going: mostBuilds, want: inAll },
])("beside $going builds", ({ going, want }) => {
  building = Array.from({ length: going }, (_, index) => key(`b${index}`, `n${index}`));
  expect(places.take(key("web"), standard)).toBe(want);
});

it("counts what the API server does not show yet, until that is settled", () => {
  for (let index = 0; index < mostBuilds; index += 1) places.take(key(`b${index}`), standard);
  expect(places.take(key("web"), standard)).toBe(inAll);
  expect(places.take(key("b0"), standard)).toBeUndefined();
  places.settled(key("b0"));
  expect(places.take(key("web"), standard)).toBeUndefined();
});

// One place in ten, at least one, is for child sessions.
it.each([
  { what: "the class has a place", given: ["a/1", "b/1"], want: undefined },
  { what: "the class is full", given: ["a/1", "b/1", "c/1"], want: inClass },
  { what: "the namespace has all that it may have", given: ["shop/1", "shop/2", "shop/3"], want: inClass },
])("behind sessions for places: $what", ({ given, want }) => {
  pods = given;
  expect(places.take(key("web"), standard)).toBe(want);
});

it("takes no place while a session waits for one", () => {
  isAwaited = true;
  expect(places.take(key("web"), standard)).toBe(inClass);
});
