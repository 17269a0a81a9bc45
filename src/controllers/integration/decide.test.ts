import { describe, expect, it } from "vitest";

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
      github: { autofix: { mode: "Enabled" }, ...settings },
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

describe("scopes that the app lacks", () => {
  const lacking = (...missingScopes: string[]): Integration =>
    anIntegration({ autofix: { mode: "Disabled" } }, { slack: { missingScopes } });
  const scopesOf = (integration: Integration): string | undefined =>
    written(integration).status.conditions?.find(({ type }) => type === "ScopesMissing")?.message;

  it("are warned of once, with what to do", () => {
    const warned = written(lacking("reactions:write"));
    expect(warned.types).toEqual(["Ready", "ScopesMissing"]);
    expect(warned.events).toContain("Warning ScopeMissing");
    const again = anIntegration({ autofix: { mode: "Disabled" } }, warned.status);
    expect(written(again).events).toEqual([]);
    expect(scopesOf(again)).toMatch(
      /^The app lacks reactions:write, so Slack refuses what needs that scope\. Take our/,
    );
  });

  it("are all named", () => {
    expect(scopesOf(lacking("chat:write", "users:read"))).toMatch(
      /^The app lacks chat:write and users:read, so Slack refuses what needs those scopes\. Take our/,
    );
  });

  it("are warned of no more once the app has them, beside another warning", () => {
    const { status } = written(anIntegration({}, { slack: { missingScopes: ["users:read"] } }));
    expect(status.conditions?.map(({ type }) => type)).toEqual(["Ready", "AutofixSilent", "ScopesMissing"]);
    expect(written(anIntegration({}, { ...status, slack: undefined }))).toMatchObject({
      types: ["Ready", "AutofixSilent"],
      events: [],
    });
  });
});

it("says no more of it once feedback can come", () => {
  const status = { ...unwatched.status, github: { events: ["issue_comment", "pull_request_review"] } };
  expect(written(anIntegration({ pullRequests: "Draft" }, status))).toMatchObject({ types: ["Ready"], events: [] });
});
