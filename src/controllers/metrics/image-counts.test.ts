import { Registry } from "prom-client";
import { expect, it } from "vitest";
import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { countQueued, countStale, imageCounts, staleAfterMs } from "./image-counts.ts";
import { defineImageMetrics } from "./image-metrics.ts";

const now = new Date("2026-05-04T12:00:00.000Z");
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();
const future = ago(-60_000);

function condition(type: string, status: "True" | "False", reason: string, ageMs = 0) {
  return { type, status, reason, message: "", lastTransitionTime: ago(ageMs) };
}

function anImage(status: object, spec: object = {}, ageMs = 0): PrebuiltImage {
  const own = { repositoryRef: { name: "web" }, sandboxClassName: "c", serviceAccountName: "runner", suspend: false };
  return {
    metadata: { name: "web", creationTimestamp: ago(ageMs) },
    spec: { ...own, ...spec },
    status,
  };
}

const build = { number: 1 };
const ready = condition("Ready", "True", "Built", 86_400_000);
const noImage = condition("Ready", "False", "NoImage");
const failures = { count: 1 };

it.each([
  { want: "ready", image: anImage({ conditions: [ready], failures, build }) },
  { want: "building", image: anImage({ conditions: [noImage], build, failures }) },
  { want: "failed", image: anImage({ conditions: [noImage], failures }) },
  { want: "none", image: anImage({ conditions: [noImage] }) },
  { want: "none", image: anImage({}) },
  {
    want: "stalled",
    image: anImage({ conditions: [noImage, condition("Stalled", "True", "RepositoryNotFound")] }),
  },
  { want: "duplicate", image: anImage({ conditions: [condition("Ready", "False", "DuplicateScope")] }) },
  { want: "suspended", image: anImage({ conditions: [condition("Ready", "False", "Suspended")] }, { suspend: true }) },
])("an image counts as $want", ({ want, image }) => {
  const counts = imageCounts([image]);
  expect([...counts].filter(([, count]) => count > 0)).toEqual([[want, 1]]);
  expect(counts.size).toBe(7);
});

it("counts images that wait for a place, also those of which an older one serves", () => {
  const queued = condition("Reconciling", "True", "Queued");
  const images = [
    anImage({ conditions: [queued, noImage] }),
    anImage({ conditions: [queued, ready] }),
    anImage({ conditions: [condition("Reconciling", "True", "Building")], build }),
    anImage({ conditions: [ready] }),
    anImage({}),
  ];
  expect(countQueued(images)).toBe(2);
});

const offsets = [
  { offsetMs: -1, want: 0 },
  { offsetMs: 0, want: 1 },
  { offsetMs: 1, want: 1 },
];
const ages: { name: string; image: (ageMs: number) => PrebuiltImage }[] = [
  {
    name: "sessions begin without it",
    image: (age) => anImage({ conditions: [condition("Ready", "False", "NoImage", age)] }),
  },
  {
    name: "its builds fail, though an older one serves",
    image: (age) =>
      anImage({ conditions: [ready, condition("BuildFailed", "True", "SetupFailed", age)], nextCheckTime: future }),
  },
  { name: "its check is due", image: (age) => anImage({ conditions: [ready], nextCheckTime: ago(age) }) },
  { name: "no controller has judged it", image: (age) => anImage({}, {}, age) },
];

it.each(ages.flatMap((one) => offsets.map((offset) => ({ ...one, ...offset }))))(
  "an image is stale two hours after $name ($offsetMs ms)",
  ({ image, offsetMs, want }) => {
    expect(countStale([image(staleAfterMs + offsetMs)], now)).toBe(want);
  },
);

const long = 10 * staleAfterMs;
it.each([
  {
    name: "that serves and waits for its check",
    image: anImage({ conditions: [ready], nextCheckTime: future }, {}, long),
  },
  { name: "whose check goes on", image: anImage({ conditions: [ready], nextCheckTime: ago(long), build }) },
  {
    name: "that a person suspended",
    image: anImage({ conditions: [condition("Ready", "False", "Suspended", long)] }, { suspend: true }),
  },
  {
    name: "beside an older one",
    image: anImage({ conditions: [condition("Ready", "False", "DuplicateScope", long)] }),
  },
])("an image $name is not stale", ({ image }) => {
  expect(countStale([image], now)).toBe(0);
});

it("builds are counted by result, and failed ones by reason", async () => {
  const registry = new Registry();
  const metrics = defineImageMetrics(registry);
  metrics.buildEnded({ result: "Ready", reason: "NewCommits" });
  metrics.buildEnded({ result: "Ready", reason: "Retry" });
  metrics.buildEnded({ result: "Failed", reason: "SetupFailed" });
  const text = await registry.metrics();
  expect(text).toContain('runwright_image_builds_ended_total{result="Ready",reason=""} 2');
  expect(text).toContain('runwright_image_builds_ended_total{result="Failed",reason="SetupFailed"} 1');
});
