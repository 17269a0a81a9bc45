import { expect, it } from "vitest";

import { configMaps } from "./core-resources.ts";
import { KubeError } from "./errors.ts";
import { nameHolder } from "./name-holder.ts";
import { storeOnce } from "./store-once.ts";

const metadata = { namespace: "demo", name: "a" };
const stored = { metadata: { ...metadata, uid: "u1" } };

const failure = (status: number, reason = "Refused"): KubeError =>
  new KubeError({ message: `answer ${status}`, status, reason, delivery: status === 0 ? "lost" : "received" });

/** A client whose creates end as listed, beside what has the name. */
function world(there: typeof stored | undefined, ...ends: KubeError[]) {
  const client = {
    create: () => Promise.reject(ends.shift()!),
    find: () => Promise.resolve(there),
  };
  return client as never;
}

it.each([400, 403, 422])("what has the name is found after an answer %i", async (status) => {
  expect(await nameHolder(world(stored), configMaps, { object: { metadata }, error: failure(status) })).toBe(stored);
  expect(
    await nameHolder(world(undefined), configMaps, { object: { metadata }, error: failure(status) }),
  ).toBeUndefined();
});

it("what has the name is found where it is taken", async () => {
  expect(
    await nameHolder(world(stored), configMaps, { object: { metadata }, error: failure(409, "AlreadyExists") }),
  ).toBe(stored);
});

it.each([0, 401, 404, 409, 429, 500])("an answer %i says nothing of the name", async (status) => {
  expect(await nameHolder(world(stored), configMaps, { object: { metadata }, error: failure(status) })).toBeUndefined();
});

it.each([
  { name: "its own name", second: failure(409, "AlreadyExists") },
  { name: "a quota that it filled itself", second: failure(403) },
])("a repeated create that meets $name is the first one's", async ({ second }) => {
  expect(await storeOnce(world(stored, failure(0), second), configMaps, { metadata })).toBe(stored);
});

it.each([
  { name: "a quota", ends: [failure(403)], there: stored, says: "answer 403" },
  { name: "a quota after a lost answer", ends: [failure(0), failure(403)], there: undefined, says: "answer 403" },
])("a create that meets $name, and stored nothing, fails", async ({ ends, there, says }) => {
  await expect(storeOnce(world(there, ...ends), configMaps, { metadata })).rejects.toThrow(says);
});
