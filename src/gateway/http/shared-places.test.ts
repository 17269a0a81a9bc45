import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";

import { SandboxError } from "../attempts/sandbox-error.ts";
import { defineGatewayMetrics } from "../metrics/gateway-metrics.ts";
import { ApiError } from "./errors.ts";
import { SharedPlaces, sharedPlaces } from "./shared-places.ts";

type Budget = keyof typeof sharedPlaces;

/** So many works of a namespace at once that go on; gives what the refused ones were told, and what was counted. */
async function atOnce(budget: Budget, count: number, namespace = "team") {
  const registry = new Registry();
  const shared = new SharedPlaces(budget, { metrics: defineGatewayMetrics(registry, () => 0) });
  const end = Promise.withResolvers<undefined>();
  const asked = Array.from({ length: count }, () => shared.run(namespace, () => end.promise));
  const settled = Promise.allSettled(asked);
  const other = await shared.run("other", () => Promise.resolve("had a place"));
  end.resolve(undefined);
  const errors = (await settled).flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
  const { values } = await registry.getSingleMetric("runwright_gateway_share_refusals_total")!.get();
  return { errors, other, counted: values.find(({ labels }) => labels.budget === budget)?.value };
}

describe.each(Object.keys(sharedPlaces) as Budget[])("of the places for %s", (budget) => {
  const half = sharedPlaces[budget].places / 2;

  it.each([
    { name: "one less than half", count: half - 1, refused: 0 },
    { name: "half", count: half, refused: 0 },
    { name: "one more than half, of which one is refused", count: half + 1, refused: 1 },
  ])("a namespace may ask for $name, and another finds one", async ({ count, refused }) => {
    const { errors, other, counted } = await atOnce(budget, count);
    expect([errors.length, other, counted]).toEqual([refused, "had a place", refused]);
  });
});

it("says which share it is, how many places there are, and whom to ask", async () => {
  const { errors } = await atOnce("imageUploads", 5);
  expect(errors).toEqual([
    new ApiError(
      "Busy",
      "namespace team has its share of the gateway's 8 places for uploads of images: try again, or ask the platform team for more (gateway.replicas)",
    ),
  ]);
  const streams = await atOnce("eventStreams", 129);
  expect(streams.errors[0]?.message).toBe(
    "namespace team has its share of the gateway's 256 places for streams of events: end some, or ask the platform team for more (gateway.replicas)",
  );
  const all = await atOnce("lists", 5, "");
  expect(all.errors[0]?.message).toContain("requests for all namespaces have their share of the gateway's 8 places");
});

it("fails as its port does", async () => {
  const failure = (message: string): Error => new SandboxError(503, "Busy", message);
  const shared = new SharedPlaces("mediaUploads", { metrics: defineGatewayMetrics(new Registry(), () => 0), failure });
  const end = Promise.withResolvers<undefined>();
  const going = [1, 2].map(() => shared.run("team", () => end.promise));
  await expect(shared.run("team", () => Promise.resolve())).rejects.toThrow(SandboxError);
  end.resolve(undefined);
  await Promise.all(going);
});
