import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, inject } from "vitest";

import { withLock } from "../../hack/lib/lock.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Test files that have the cluster to themselves, from the project's root. */
    alone: readonly string[];
  }
}

const limitMs = 20 * 60_000;

// Each worker has a place at the cluster, which it takes for each of its files. A file that is alone takes the places of all.
const places = ["1", "2"];
const path = expect.getState().testPath ?? "";
const isAlone = inject("alone").some((file) => path.endsWith(`/${file}`));
const wanted = isAlone ? places : [process.env.VITEST_POOL_ID ?? ""];
const end = Promise.withResolvers<undefined>();
let given: Promise<unknown>;

beforeAll(async () => {
  const begin = Promise.withResolvers<undefined>();
  given = holding(wanted, () => {
    begin.resolve(undefined);
    return end.promise;
  });
  await Promise.race([begin.promise, given]);
}, limitMs);

afterAll(async () => {
  end.resolve(undefined);
  await given;
});

function holding([place, ...others]: readonly string[], work: () => Promise<unknown>): Promise<unknown> {
  if (place === undefined) return work();
  const lock = join(tmpdir(), `runwright-cluster-place-${place}.lock`);
  return withLock(
    lock,
    () => undefined,
    () => holding(others, work),
  );
}
