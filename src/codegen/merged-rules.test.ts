import fc from "fast-check";
import { expect, it } from "vitest";
import type { Permission } from "../lib/permissions.ts";
import { mergedRules } from "./merged-rules.ts";

const scope = "cluster";

it("names a resource once, with all verbs in reading order", () => {
  expect(
    mergedRules([
      { scope, apiGroups: ["a"], resources: ["runs", "jobs"], verbs: ["watch", "get"] },
      { scope, apiGroups: ["a"], resources: ["runs"], verbs: ["use", "delete", "get"] },
    ]),
  ).toEqual([
    { apiGroups: ["a"], resources: ["jobs"], verbs: ["get", "watch"] },
    { apiGroups: ["a"], resources: ["runs"], verbs: ["get", "watch", "delete", "use"] },
  ]);
});

it("puts resources of equal rights into one rule, and those of names apart", () => {
  expect(
    mergedRules([
      { scope, apiGroups: [""], resources: ["b"], verbs: ["get"] },
      { scope, apiGroups: [""], resources: ["a"], verbs: ["get"] },
      { scope, apiGroups: [""], resources: ["a"], verbs: ["patch"], resourceNames: ["z", "y"] },
    ]),
  ).toEqual([
    { apiGroups: [""], resources: ["a"], resourceNames: ["y", "z"], verbs: ["patch"] },
    { apiGroups: [""], resources: ["a", "b"], verbs: ["get"] },
  ]);
});

function rightsOf(rules: readonly Omit<Permission, "scope">[]): Set<string> {
  return new Set(
    rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [] }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => [group, resource, verb, ...[...resourceNames].sort()].join(" ")),
        ),
      ),
    ),
  );
}

it("neither adds nor loses a right", () => {
  const some = (...values: string[]): fc.Arbitrary<string[]> =>
    fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 });
  const permission = fc.record({
    scope: fc.constant(scope),
    apiGroups: some("", "a", "b"),
    resources: some("runs", "runs/status", "jobs"),
    verbs: some("get", "create", "use"),
    resourceNames: fc.option(some("x", "y"), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(permission, { maxLength: 6 }), (permissions) => {
      expect(rightsOf(mergedRules(permissions))).toEqual(rightsOf(permissions));
    }),
  );
});
