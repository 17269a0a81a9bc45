import { expect, it } from "vitest";

import { anAutomation } from "../../../../test/support/builders.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { ListOptions } from "../../../kube/client-options.ts";
import { findUncached } from "./uncached-runs.ts";

/** Looks for Runs of an automation that has counted some; gives those found, and what was listed. */
async function look({ strikes, cached, stored = [] }: { strikes?: string[]; cached: string[]; stored?: string[] }) {
  const lists: ListOptions[] = [];
  const list = (_resource: unknown, options: ListOptions): Promise<object> => {
    lists.push(options);
    return Promise.resolve({ items: stored.map((uid) => ({ metadata: { uid } })), resourceVersion: "9" });
  };
  const automation = anAutomation({ metadata: { namespace: "shop", uid: "a" }, status: { strikes } });
  const client = { list } as unknown as Pick<KubeClient, "list">;
  const { signal } = new AbortController();
  return { found: await findUncached(client, automation, { cached: new Set(cached), signal }), lists };
}

it("a counted Run that the cache lacks is looked for among those of the automation", async () => {
  const { found, lists } = await look({ strikes: ["r1", "r2"], cached: ["r1"], stored: ["r1", "r2", "r3"] });
  expect(found).toEqual(["r2"]);
  expect(lists).toMatchObject([{ namespace: "shop", labelSelector: "runwright.dev/automation-uid=a" }]);
});

it("one that is gone is not found", async () => {
  expect((await look({ strikes: ["r2"], cached: ["r1"], stored: ["r1"] })).found).toEqual([]);
});

it("nothing is listed where all that are counted are cached", async () => {
  expect(await look({ strikes: ["r1"], cached: ["r1"], stored: ["r2"] })).toEqual({ found: undefined, lists: [] });
  expect(await look({ cached: ["r1"], stored: ["r2"] })).toEqual({ found: undefined, lists: [] });
});
