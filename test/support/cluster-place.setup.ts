import { tmpdir } from "node:os";

import { afterAll, beforeAll, expect, inject } from "vitest";

import { holdingPlaces, placesOf } from "../e2e/support/cluster-places.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Test files that have the cluster to themselves, from the project's root. */
    alone: readonly string[];
  }
}

const limitMs = 20 * 60_000;

const wanted = placesOf(expect.getState().testPath ?? "", inject("alone"), process.env.VITEST_POOL_ID ?? "");
const end = Promise.withResolvers<undefined>();
let given: Promise<unknown>;

beforeAll(async () => {
  const begin = Promise.withResolvers<undefined>();
  given = holdingPlaces(tmpdir(), wanted, () => {
    begin.resolve(undefined);
    return end.promise;
  });
  await Promise.race([begin.promise, given]);
}, limitMs);

afterAll(async () => {
  end.resolve(undefined);
  await given;
});
