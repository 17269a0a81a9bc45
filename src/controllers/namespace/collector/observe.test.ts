import { expect, it } from "vitest";
import { networkPolicies } from "../../../kube/core-resources.ts";
import { observeLeftover } from "./observe.ts";

const leftover = { resource: networkPolicies, object: { metadata: { name: "runwright-sandbox", namespace: "team" } } };
const release = { name: "rw", namespace: "system" };

/** What the API server lists: one object of this kind, and none of others. */
function listing(kind: string): Parameters<typeof observeLeftover>[0]["client"] {
  const list = (resource: { kind: string }): Promise<never> => {
    const items = resource.kind === kind ? [{ metadata: { name: "o" } }] : [];
    return Promise.resolve({ items, resourceVersion: "1" } as never);
  };
  return { list, find: () => Promise.reject(new Error("is not asked")) } as never;
}

it.each([
  ["Session", { hasOwner: true, hasSandboxes: false }],
  ["PrebuiltImage", { hasOwner: true, hasSandboxes: false }],
  ["SandboxPool", { hasOwner: true, hasSandboxes: false }],
  ["Pod", { hasOwner: false, hasSandboxes: true }],
  ["Run", { hasOwner: false, hasSandboxes: false }],
])("a namespace with a %s", async (kind, want) => {
  const facts = await observeLeftover({ client: listing(kind), release }, leftover, new AbortController().signal);
  expect(facts).toEqual({ leftover, ...want });
});
