import { describe, expect, it } from "vitest";
import { labels } from "../../../api/v1alpha1/names.ts";
import { networkPolicies, serviceAccounts } from "../../../kube/core-resources.ts";
import { findLeftovers, type Kept, type Leftover } from "./facts.ts";

const now = new Date("2026-05-04T10:00:00.000Z");

function at(ageMs: number): string {
  return new Date(now.getTime() - ageMs).toISOString();
}

function aPolicy(name: string, more: Kept["object"]["metadata"] = {}): Kept {
  const metadata = { name, namespace: "team", creationTimestamp: at(300_000), ...more };
  return { resource: networkPolicies, object: { metadata } };
}

function ofClass(sandboxClass: string, name = `runwright-sandbox-${sandboxClass}`): Kept {
  return aPolicy(name, { labels: { [labels.sandboxClass]: sandboxClass } });
}

function anAccount(more: object = {}): Kept {
  return {
    ...aPolicy("runwright-sandbox"),
    resource: serviceAccounts,
    object: { ...aPolicy("runwright-sandbox").object, ...more },
  };
}

function found(one: Kept, namespaces: string[] = []): Leftover[] {
  const needed = { ownerNamespaces: new Set(namespaces), classNames: new Set(["standard"]) };
  return findLeftovers([one], needed, now);
}

describe("in a namespace without Sessions", () => {
  it.each<[string, Kept, boolean]>([
    ["takes the base policy at 5 minutes", aPolicy("runwright-sandbox"), true],
    ["takes it when it is older", aPolicy("runwright-sandbox", { creationTimestamp: at(300_001) }), true],
    ["keeps it when it is younger", aPolicy("runwright-sandbox", { creationTimestamp: at(299_999) }), false],
    ["keeps an object without an age", aPolicy("runwright-sandbox", { creationTimestamp: undefined }), false],
    ["keeps what is going already", aPolicy("runwright-sandbox", { deletionTimestamp: at(0) }), false],
    ["takes the policy of a class that is there", ofClass("standard"), true],
    ["keeps another's policy with our labels", aPolicy("theirs"), false],
    ["keeps a policy that is not named after its class", ofClass("standard", "runwright-sandbox-other"), false],
    ["takes the account", anAccount(), true],
    ["keeps an account that a person gave pull secrets", anAccount({ imagePullSecrets: [{ name: "pull" }] }), false],
    [
      "keeps an account that a person annotated",
      { ...aPolicy("runwright-sandbox", { annotations: { role: "r" } }), resource: serviceAccounts },
      false,
    ],
  ])("%s", (_name, one, isLeft) => {
    expect(found(one)).toEqual(isLeft ? [one] : []);
  });
});

describe("in a namespace with Sessions", () => {
  it.each<[string, Kept, string | undefined]>([
    ["keeps the base policy", aPolicy("runwright-sandbox"), undefined],
    ["keeps the policy of a class that is there", ofClass("standard"), undefined],
    ["takes the policy of a class that is gone", ofClass("gone"), "gone"],
  ])("%s", (_name, one, goneClass) => {
    expect(found(one, ["team"])).toEqual(goneClass === undefined ? [] : [{ ...one, goneClass }]);
  });
});
