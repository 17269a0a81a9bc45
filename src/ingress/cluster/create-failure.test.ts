import { expect, it } from "vitest";

import { KubeError, type KubeErrorFacts } from "../../kube/errors.ts";
import { createFailure } from "./create-failure.ts";

const answered = (status: number, facts: Partial<KubeErrorFacts> = {}): KubeError =>
  new KubeError({ message: "create", status, reason: "Injected", delivery: "received", ...facts });
const terminating = { details: { causes: [{ reason: "NamespaceTerminating" }] } };

it.each([400, 403, 422])("%i is refused for good: the operator is asked, and the sender waits a minute", (status) => {
  const refusal = createFailure(answered(status));
  expect(refusal).toMatchObject({ code: "Unavailable", retryAfterSeconds: 60 });
  expect(refusal.message).toContain("Runwright-Delivery-Id");
});

it.each([
  { name: "401", error: answered(401), want: { code: "Unavailable", retryAfterSeconds: 2 } },
  { name: "409", error: answered(409), want: { code: "Unavailable", retryAfterSeconds: 2 } },
  { name: "500", error: answered(500), want: { code: "Unavailable", retryAfterSeconds: 2 } },
  { name: "no answer", error: answered(0), want: { code: "Unavailable", retryAfterSeconds: 2 } },
  { name: "a quota", error: answered(403, { message: "exceeded quota: runs" }), want: { code: "Throttled" } },
  { name: "a namespace that goes", error: answered(403, terminating), want: { code: "NotFound" } },
])("$name is not", ({ error, want }) => {
  const refusal = createFailure(error);
  expect(refusal).toMatchObject(want);
  expect(refusal.message).not.toContain("Runwright-Delivery-Id");
});
