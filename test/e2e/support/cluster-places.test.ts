import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { holdingPlaces, places, placesOf } from "./cluster-places.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "places-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Begins to hold places; what ends it, once it has begun. */
async function begun(wanted: readonly string[]): Promise<{ end: () => Promise<unknown> }> {
  const begin = Promise.withResolvers<undefined>();
  const end = Promise.withResolvers<undefined>();
  const held = holdingPlaces(folder, wanted, () => {
    begin.resolve(undefined);
    return end.promise;
  });
  await begin.promise;
  return {
    end: () => {
      end.resolve(undefined);
      return held;
    },
  };
}

const alone = ["test/e2e/restarts.test.ts"];

it.each([
  ["/home/me/runwright/test/e2e/restarts.test.ts", places],
  ["/home/me/runwright/test/e2e/pool.test.ts", ["2"]],
  // It is named from the root: this is another file.
  ["/home/me/runwright/latest/e2e/restarts.test.ts", ["2"]],
])("%s takes the places %j", (path, expected) => {
  expect(placesOf(path, alone, "2")).toEqual(expected);
});

it("lets as many files in as there are places", async () => {
  const held = await Promise.all(places.map((place) => begun([place])));
  expect(await readdir(folder)).toHaveLength(places.length);
  await Promise.all(held.map(({ end }) => end()));
  expect(await readdir(folder)).toEqual([]);
});

it("lets a file that is alone in after the others, and keeps others out while it is there", async () => {
  const order: string[] = [];
  const other = await begun(["2"]);
  const alone = begun(places).then(async ({ end }) => {
    order.push("alone begins");
    const next = begun(["2"]).then(({ end }) => {
      order.push("next begins");
      return end();
    });
    order.push("alone ends");
    await end();
    await next;
  });
  order.push("other ends");
  await other.end();
  await alone;
  expect(order).toEqual(["other ends", "alone begins", "alone ends", "next begins"]);
});
