import { expect, it } from "vitest";

import { Integration, type IntegrationStatus, reasonMeanings } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { decideIntegration } from "./decide.ts";

const now = new Date("2026-05-04T10:15:00Z");
const spec = Integration.schema.shape.spec.parse({
  type: "Linear",
  serviceAccountName: "runner",
  signingSecretRef: { name: "signing" },
  credentialsSecretRef: { name: "app" },
  linear: { organizationID: "0b9e1c1e-0000-4000-8000-000000000001" },
});
const source = {
  metadata: { name: "s", namespace: "shop", uid: "s" },
  data: { "signing-secret": "eA==", "client-id": "eA==", "client-secret": "eA==" },
};

/** What Ready says of an Integration whose Secrets are right, by what the connector found out. */
function readyWith(reason: string): IntegrationStatus["conditions"] {
  const connection = { reason, message: "Linear said so", time: now.toISOString() };
  const integration = { metadata: { namespace: "shop", name: "tracker", uid: "t" }, spec, status: { connection } };
  const facts = {
    integration,
    signing: { source, copy: undefined },
    credentials: { source, copy: undefined },
    repositories: [],
  };
  const { effects } = decideIntegration(facts, now, { keysNamespace: "keys", tokensNamespace: "tokens" });
  const written = effects.find(({ kind }) => kind === "writeStatus");
  return written?.kind === "writeStatus" ? written.status.conditions : undefined;
}

it.each(["AuthorizationNeeded", "CredentialsRefused", "ProviderUnavailable"] as const)(
  "is not ready where the connector found %s, and says what to do",
  (reason) => {
    const message = `Linear said so. ${reasonMeanings[reason].remedy}`;
    expect(findCondition(readyWith(reason), "Ready")).toMatchObject({ status: "False", reason, message });
  },
);

it.each(["Connected", "ProviderThrottled", "What a later version wrote"])("is ready where it found %s", (reason) => {
  expect(findCondition(readyWith(reason), "Ready")).toMatchObject({ status: "True" });
});
