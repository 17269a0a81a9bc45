import { describe, expect, it } from "vitest";

import { KubeError } from "./errors.ts";
import { policyRefusalOf } from "./policy-refusal.ts";

const said =
  "ValidatingAdmissionPolicy 'system-rw-gateway-leases' with binding 'system-rw-gateway-leases' denied request: metadata.annotations: must be one of a, b";
const refused = (status: number, message: string): KubeError =>
  new KubeError({ status, message, reason: "Forbidden", delivery: "received" });

describe("policyRefusalOf", () => {
  it.each([403, 422])("names policy and field of a %i", (status) => {
    const message = `patch leases.coordination.k8s.io "sessions/one": leases.coordination.k8s.io "one" is forbidden: ${said}`;
    expect(policyRefusalOf(refused(status, message))).toEqual({
      policy: "system-rw-gateway-leases",
      message: "metadata.annotations: must be one of a, b",
    });
  });

  it("keeps all lines of what the policy says", () => {
    expect(policyRefusalOf(refused(422, `${said}\nsecond`))?.message).toBe(
      "metadata.annotations: must be one of a, b\nsecond",
    );
  });

  it.each([
    ["a refusal by rights", refused(403, 'leases "one" is forbidden: User "x" cannot patch resource')],
    ["a refusal by schema", refused(422, 'Lease "one" is invalid: spec.holder: Invalid value')],
    ["a refusal by a webhook", refused(403, 'admission webhook "k.example.com" denied the request: no')],
    ["another status with such a text", refused(500, said)],
    ["another error", new Error(said)],
    ["nothing", undefined],
  ])("knows %s from it", (_what, error) => {
    expect(policyRefusalOf(error)).toBeUndefined();
  });
});
