import { expect, it } from "vitest";

import { isForeign, labelled } from "./rules.ts";

/** Whether the CEL of {@link isForeign} takes a name, read as JavaScript. */
function takes(name: string): boolean {
  const [, prefix = "", pattern = ""] =
    /startsWith\('(.+?)'\) \|\| !key\.matches\('(.+)'\)/.exec(isForeign("key")) ?? [];
  expect([prefix, pattern]).not.toContain("");
  return name.startsWith(prefix) || !new RegExp(pattern).test(name);
}

it.each([
  "team",
  "example.com/team",
  "policies.kyverno.io/last-applied-patches",
  "argocd.argoproj.io/instance",
  "app.kubernetes.io/part-of",
  "runwright.dev",
  "notrunwright.dev/x",
  "runwright.dev.example.com/x",
])("%s is other people's", (name) => {
  expect(takes(name)).toBe(true);
});

it.each([
  "runwright.dev/run-uid",
  "sub.runwright.dev/x",
  "kubernetes.io/service-account.name",
  "pod-security.kubernetes.io/enforce",
  "other.app.kubernetes.io/x",
  "cluster-autoscaler.kubernetes.io/safe-to-evict",
  "x-k8s.io.k8s.io/x",
  "gateway.k8s.io/x",
])("%s is not", (name) => {
  expect(takes(name)).toBe(false);
});

it("asks for each label of ours, and that there is none else", () => {
  const cel = labelled({ "runwright.dev/a": "object.a", "runwright.dev/b": "object.b" })("at");
  expect(cel).toBe(
    `at.all(key, key in ['runwright.dev/a', 'runwright.dev/b'] || ${isForeign("key")}) && 'runwright.dev/a' in at && at['runwright.dev/a'] == object.a && 'runwright.dev/b' in at && at['runwright.dev/b'] == object.b`,
  );
});
