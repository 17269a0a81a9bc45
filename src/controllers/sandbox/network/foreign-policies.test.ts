import { expect, it } from "vitest";
import { labels } from "../../../api/v1alpha1/names.ts";
import type { NetworkPolicy } from "../../../kube/core-resources.ts";
import { foreignPolicies } from "./foreign-policies.ts";

const pod = { metadata: { labels: { [labels.component]: "sandbox", [labels.sandboxClass]: "standard" } } };
const key = labels.component;

function aPolicy(podSelector: object | undefined, name = "theirs"): NetworkPolicy {
  return { metadata: { name }, spec: { ...(podSelector ? { podSelector } : {}) } };
}

it.each<[string, NetworkPolicy, boolean]>([
  ["one for every pod", aPolicy({}), true],
  ["one without a selector", aPolicy(undefined), true],
  ["one by a label", aPolicy({ matchLabels: { [key]: "sandbox" } }), true],
  ["one by another value", aPolicy({ matchLabels: { [key]: "gateway" } }), false],
  ["one by two labels of which the pod has one", aPolicy({ matchLabels: { [key]: "sandbox", app: "x" } }), false],
  ["one with In", aPolicy({ matchExpressions: [{ key, operator: "In", values: ["a", "sandbox"] }] }), true],
  ["one with In of others", aPolicy({ matchExpressions: [{ key, operator: "In", values: ["a"] }] }), false],
  ["one with NotIn", aPolicy({ matchExpressions: [{ key, operator: "NotIn", values: ["sandbox"] }] }), false],
  ["one with NotIn of others", aPolicy({ matchExpressions: [{ key, operator: "NotIn", values: ["a"] }] }), true],
  ["one with Exists", aPolicy({ matchExpressions: [{ key, operator: "Exists" }] }), true],
  ["one with Exists of a label it lacks", aPolicy({ matchExpressions: [{ key: "app", operator: "Exists" }] }), false],
  ["one with DoesNotExist", aPolicy({ matchExpressions: [{ key, operator: "DoesNotExist" }] }), false],
  ["our own for all sandboxes", aPolicy({ matchLabels: { [key]: "sandbox" } }, "runwright-sandbox"), false],
  ["our own for the class", aPolicy({ matchLabels: { [key]: "sandbox" } }, "runwright-sandbox-standard"), false],
])("of the policies of a namespace, %s", (_name, policy, isForeign) => {
  expect(foreignPolicies([policy], pod)).toEqual(isForeign ? ["theirs"] : []);
});
