import { describe, expect, it } from "vitest";

import type { Deployment } from "../../support/core-resources.ts";
import { isRolledOut } from "./deployments.ts";

const settled = { observedGeneration: 3, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

function aDeployment(status: Deployment["status"]): Deployment {
  const spec = { replicas: 2, selector: {}, template: {} };
  return { metadata: { name: "d", generation: 3 }, spec, ...(status === undefined ? {} : { status }) };
}

describe("isRolledOut", () => {
  it.each([
    { name: "all are new and available", status: settled, want: true },
    { name: "nothing was observed", status: undefined, want: false },
    { name: "an older generation was observed", status: { ...settled, observedGeneration: 2 }, want: false },
    { name: "an old pod is left", status: { ...settled, replicas: 3 }, want: false },
    { name: "one is not available", status: { ...settled, availableReplicas: 1 }, want: false },
    { name: "one is of the old template", status: { ...settled, updatedReplicas: 1 }, want: false },
  ])("$want when $name", ({ status, want }) => {
    expect(isRolledOut(aDeployment(status))).toBe(want);
  });
});
