import { expect, it } from "vitest";

import { leases } from "./core-resources.ts";
import { policyRefusalHooks } from "./policy-refusal-hooks.ts";

const release = { name: "rw", namespace: "system" };
const message = "metadata.annotations: must be one of a, b";

function tell(policy: string): { errors: object[]; counted: string[] } {
  const errors: object[] = [];
  const counted: string[] = [];
  const logger = { error: (facts: object) => void errors.push(facts) };
  const metrics = { policyRefused: (refused: string) => void counted.push(refused) };
  policyRefusalHooks({ release, logger, metrics }).refusedByPolicy?.({ policy, message }, leases);
  return { errors, counted };
}

it("logs and counts a refusal by a policy of the release, with the field", () => {
  const policy = "system-rw-gateway-leases";
  expect(tell(policy)).toEqual({
    errors: [{ policy, resource: "leases", refusal: message }],
    counted: [policy],
  });
});

it.each(["require-labels", "system-rw2-gateway-leases", "other-system-rw-gateway-leases"])(
  "leaves what %s refuses to whom the write was for",
  (policy) => {
    expect(tell(policy)).toEqual({ errors: [], counted: [] });
  },
);
