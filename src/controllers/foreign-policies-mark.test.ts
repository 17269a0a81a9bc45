import { expect, it } from "vitest";
import { withForeignPolicies } from "./foreign-policies-mark.ts";

const at = { now: new Date("2026-05-04T10:15:00.000Z"), generation: 2 };

it.each([
  [["b"], "the sandbox is also selected by NetworkPolicy b"],
  [["a", "b", "c", "d"], "the sandbox is also selected by NetworkPolicy a, b, c, d"],
  [["a", "b", "c", "d", "e"], "the sandbox is also selected by NetworkPolicy a, b, c, d, e"],
  [["a", "b", "c", "d", "e", "f"], "the sandbox is also selected by NetworkPolicy a, b, c, d, e and 1 more"],
])("warns of %j, until there are none", (names, message) => {
  const [warning, ...others] = withForeignPolicies(undefined, names, at) ?? [];
  expect(others).toEqual([]);
  expect(warning).toEqual({
    ...{ type: "ForeignNetworkPolicy", status: "True", reason: "ForeignNetworkPolicy", message },
    ...{ lastTransitionTime: at.now.toISOString(), observedGeneration: 2 },
  });
  expect(withForeignPolicies([warning!], [], at)).toEqual([]);
});

it("adds no conditions where there are none and nothing is to be warned of", () => {
  expect(withForeignPolicies(undefined, [], at)).toBeUndefined();
});
