import { expect, it } from "vitest";

import { configMaps } from "../kube/core-resources.ts";
import { KubeError } from "../kube/errors.ts";
import type { KubeObject } from "../lib/resource.ts";
import { createOnce } from "./create-once.ts";

const owner = { apiVersion: "v1", kind: "Integration", name: "chat", uid: "u1" };
const object = { metadata: { namespace: "demo", name: "a", ownerReferences: [owner] } };
const stored = { metadata: { ...object.metadata, uid: "stored" } };
const foreign = { metadata: { ...stored.metadata, ownerReferences: [{ ...owner, uid: "u2" }] } };

const refused = (status: number, reason: string): KubeError =>
  new KubeError({ message: reason, status, reason, delivery: "received" });
const taken = refused(409, "AlreadyExists");
const quota = refused(403, "exceeded quota: prompts");
const policy = refused(422, "a policy of the cluster");

/** Creates the object at an API server that refuses it, where this has its name. */
function creating(refusal: KubeError, there: KubeObject | undefined): Promise<KubeObject> {
  const client = { create: () => Promise.reject(refusal), find: () => Promise.resolve(there) };
  return createOnce(client as never, configMaps, object, new AbortController().signal);
}

it.each([taken, quota, policy])("what an earlier attempt made is found after %s", async (refusal) => {
  expect(await creating(refusal, stored)).toBe(stored);
});

it.each([
  { name: "another owner's", there: foreign },
  { name: "nothing", there: undefined },
])("a refusal stays one where $name has the name", async ({ there }) => {
  await expect(creating(quota, there)).rejects.toBe(quota);
});

it("nothing is looked after where the failure says nothing of the name", async () => {
  const failure = refused(500, "InternalError");
  await expect(creating(failure, stored)).rejects.toBe(failure);
});
