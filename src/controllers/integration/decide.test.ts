import { expect, it } from "vitest";

import type { Integration, IntegrationStatus, Repository } from "../../api/v1alpha1/index.ts";
import { decideIntegration } from "./decide.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const places = { keysNamespace: "keys", tokensNamespace: "tokens" };
const repositories = [{ metadata: { name: "api" }, spec: { url: "https://github.com/acme/api.git" } }];

/** An Integration whose autofix is on, with this status. */
function anIntegration(github: object, status: IntegrationStatus = {}): Integration {
  const settings = { appID: 1, slug: "helper", installationID: 1, repositories: [{ name: "api" }], ...github };
  return {
    metadata: { name: "github", namespace: "shop", uid: "i", generation: 1 },
    spec: {
      type: "GitHub",
      serviceAccountName: "runner",
      signingSecretRef: { name: "github" },
      credentialsSecretRef: { name: "github" },
      github: { autofix: { mode: "On" }, ...settings },
    },
    status,
  } as unknown as Integration;
}

function written(integration: Integration) {
  const copied = { source: undefined, copy: undefined };
  const facts = { integration, signing: copied, credentials: copied, repositories: repositories as Repository[] };
  const [effect] = decideIntegration(facts, now, places).effects.filter(({ kind }) => kind === "writeStatus");
  if (effect?.kind !== "writeStatus") throw new Error("no status is written");
  const reasons = effect.events.map(({ type, reason }) => `${type} ${reason}`);
  return { status: effect.status, types: effect.status.conditions?.map(({ type }) => type), events: reasons };
}

const unwatched = written(anIntegration({}));

it("warns once that autofix gets no feedback, beside what else it says", () => {
  expect(unwatched.types).toEqual(["Ready", "AutofixSilent"]);
  expect(unwatched.status.conditions?.[1]).toMatchObject({ status: "True", reason: "PullRequestsNotWatched" });
  expect(unwatched.events).toEqual(["Warning SecretNotFound", "Warning PullRequestsNotWatched"]);
  expect(written(anIntegration({}, unwatched.status)).events).toEqual([]);
});

it("warns again where the cause is another one", () => {
  const status = { ...unwatched.status, github: { events: [] } };
  expect(written(anIntegration({ pullRequests: "Draft" }, status)).events).toEqual(["Warning EventsNotSubscribed"]);
});

it("says no more of it once feedback can come", () => {
  const status = { ...unwatched.status, github: { events: ["issue_comment", "pull_request_review"] } };
  expect(written(anIntegration({ pullRequests: "Draft" }, status))).toMatchObject({ types: ["Ready"], events: [] });
});
