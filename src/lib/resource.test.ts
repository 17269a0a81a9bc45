import { describe, expect, it } from "vitest";
import { apiVersionOf, keyOf, keyText, ownerReferenceTo, parseKey } from "./resource.ts";

const pods = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
const leases = { group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", namespaced: true };

describe("keys", () => {
  it.each([
    [{ namespace: "demo", name: "a" }, "demo/a"],
    [{ name: "a" }, "a"],
  ])("writes and reads %j as %s", (key, text) => {
    expect(keyText(key)).toBe(text);
    expect(parseKey(text)).toEqual(key);
  });

  it("leaves the namespace out where an object has none", () => {
    expect(keyOf({ metadata: { name: "a" } })).toEqual({ name: "a" });
    expect(keyOf({ metadata: { name: "a", namespace: "demo" } })).toEqual({ name: "a", namespace: "demo" });
  });
});

it("writes the group into every API version but the core group's", () => {
  expect(apiVersionOf(pods)).toBe("v1");
  expect(apiVersionOf(leases)).toBe("coordination.k8s.io/v1");
});

describe("ownerReferenceTo", () => {
  it("names the owner and never blocks its deletion", () => {
    const reference = ownerReferenceTo(leases, { metadata: { name: "a", uid: "u1" } });
    expect(reference).toEqual({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      name: "a",
      uid: "u1",
      controller: true,
    });
  });

  it("refuses an owner that was never stored", () => {
    expect(() => ownerReferenceTo(pods, { metadata: { name: "a" } })).toThrow("Pod has no name or UID");
  });
});
