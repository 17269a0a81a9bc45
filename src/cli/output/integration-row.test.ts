import { expect, it } from "vitest";

import { type Automation, type Integration, type IntegrationEvent, reasonMeanings } from "../../api/v1alpha1/index.ts";
import { integrationHead, integrationRow } from "./integration-row.ts";

const now = new Date("2026-05-04T12:00:00Z");
const connected = { connection: { reason: "Connected" } };

function row(change: { spec?: object; status?: object; events?: object[]; automations?: object[] } = {}) {
  const integration = {
    metadata: { namespace: "shop", name: "chat", uid: "u" },
    spec: { type: "Slack", ...change.spec },
    status: { ...connected, ...change.status },
  } as unknown as Integration;
  const events = (change.events ?? []) as IntegrationEvent[];
  const automations = (change.automations ?? []) as Automation[];
  const cells = integrationRow(integration, { events, automations }, now);
  return Object.fromEntries(integrationHead.map((name, index) => [name, cells[index]]));
}

const event = (
  minute: number,
  reason: string,
  { status = "True", triggered = 0, steered = 0, of = "u", github }: Partial<Kept> = {},
) => ({
  spec: { integrationRef: { uid: of }, receivedTime: `2026-05-04T11:${minute}:00Z`, github },
  status: { triggered, steered, conditions: [{ type: "Succeeded", status, reason, message: "It is so." }] },
});

interface Kept {
  status: string;
  triggered: number;
  steered: number;
  of: string;
  github: object;
}

/** Feedback on a pull request that a check stopped. */
const skip = (minute: number, reason: string, number = 7, action = "Commented") =>
  event(minute, reason, { status: "False", github: { action, repository: { id: 1 }, number } });

it.each([
  ["Unknown", { status: { connection: undefined } }],
  ["Yes", {}],
  ["No", { status: { connection: { reason: "CredentialsRefused" } } }],
  ["Suspended", { spec: { suspend: true } }],
])("is connected: %s", (want, change) => {
  expect(row(change).CONNECTED).toBe(want);
});

it("says what to do of one that is suspended", () => {
  expect(row({ spec: { suspend: true } })["WHAT TO DO"]).toContain("Set spec.suspend to false");
});

it("has the last event, the last action and the last failure, each of its own", () => {
  const events = [
    event(10, "SessionStarted", { triggered: 1 }),
    event(40, "SessionPrompted", { steered: 1 }),
    event(50, "AccessDenied", { status: "False" }),
    event(55, "NothingToDo"),
    event(59, "SessionStarted", { triggered: 1, of: "another" }),
  ];
  expect(row({ events })).toMatchObject({
    "LAST EVENT": "NothingToDo 5m ago",
    "LAST ACTION": "SessionPrompted 20m ago",
    "LAST FAILURE": "AccessDenied: It is so.",
    "WHAT TO DO": "Add the person, the team or the channel under the Integration's spec.access.",
  });
});

it("has the Integration's own failure before an event's", () => {
  const conditions = [{ type: "Ready", status: "False", reason: "CredentialsRefused", message: "Slack refuses them." }];
  const events = [event(50, "AccessDenied", { status: "False" })];
  const shown = row({ status: { conditions }, events });
  expect(shown["LAST FAILURE"]).toBe("CredentialsRefused: Slack refuses them.");
  expect(shown["WHAT TO DO"]).not.toBe("");
});

it("says what to do in its own column alone", () => {
  const { remedy } = reasonMeanings.ProviderUnavailable;
  const message = "Slack gave no answer to auth.test";
  const conditions = [
    { type: "Ready", status: "False", reason: "ProviderUnavailable", message: `${message}. ${remedy}` },
  ];
  const shown = row({ status: { conditions, connection: { reason: "ProviderUnavailable", message } } });
  expect(shown).toMatchObject({ "LAST FAILURE": `ProviderUnavailable: ${message}`, "WHAT TO DO": remedy });
});

it("says of one that has to be authorized again by whom and how", () => {
  const conditions = [{ type: "Ready", status: "False", reason: "AuthorizationNeeded", message: "It lacks a scope." }];
  const shown = row({ status: { conditions, connection: { reason: "AuthorizationNeeded" } } });
  expect(shown.CONNECTED).toBe("No");
  expect(shown["WHAT TO DO"]).toMatch(/^An admin of the workspace .* authorizes it again/);
});

it("has an Automation of its own whose events cannot come", () => {
  const automation = (integration: string) => ({
    metadata: { namespace: "shop", name: "triage" },
    spec: { trigger: { type: "GitHub", github: { integrationRef: { name: integration } } } },
    status: {
      conditions: [{ type: "Ready", status: "False", reason: "EventsNotSubscribed", message: "The App lacks issues." }],
    },
  });
  expect(row({ automations: [automation("chat")] })["LAST FAILURE"]).toBe(
    "EventsNotSubscribed: Automation triage: The App lacks issues.",
  );
  expect(row({ automations: [automation("another")] })["LAST FAILURE"]).toBe("");
});

it("has that autofix gets no feedback before a failure of an event", () => {
  const message = "Autofix is enabled, and no pull request is watched.";
  const conditions = [{ type: "AutofixSilent", status: "True", reason: "PullRequestsNotWatched", message }];
  const shown = row({ status: { conditions }, events: [event(50, "AccessDenied", { status: "False" })] });
  expect(shown["LAST FAILURE"]).toBe(`PullRequestsNotWatched: ${message}`);
  expect(shown["WHAT TO DO"]).toContain("Set the Integration's github.pullRequests");
});

it("has that the app lacks a scope before a failure of an event", () => {
  const message = "The app lacks reactions:write, so Slack refuses what needs that scope.";
  const conditions = [{ type: "ScopesMissing", status: "True", reason: "ScopeMissing", message }];
  const shown = row({ status: { conditions }, events: [event(50, "AccessDenied", { status: "False" })] });
  expect(shown["LAST FAILURE"]).toBe(`ScopeMissing: ${message}`);
  expect(shown["WHAT TO DO"]).toContain("install the app again");
});

it("says nothing of events where there are none", () => {
  expect(row()).toMatchObject({ "LAST EVENT": "", "LAST ACTION": "", "LAST FAILURE": "", "WHAT TO DO": "" });
});

it.each<{ name: string; events: object[]; want: string; todo: string; failure?: string }>([
  {
    name: "the check that stopped feedback last",
    events: [skip(10, "AttemptLimit"), skip(55, "AutofixDisabled")],
    want: "AutofixDisabled 5m ago",
    todo: "Set autofix.mode to Enabled on the Integration or the Repository.",
  },
  {
    name: "pull requests of no session once each, and no check behind them",
    events: [
      skip(10, "AutofixDisabled"),
      skip(20, "UntrackedPullRequest", 8),
      skip(30, "UntrackedPullRequest", 8, "Changed"),
      skip(40, "UntrackedPullRequest", 9, "Reviewed"),
    ],
    want: "AutofixDisabled 50m ago; untracked pull requests: 2",
    todo: "Set autofix.mode to Enabled on the Integration or the Repository.",
  },
  {
    name: "pull requests of no session alone",
    events: [skip(20, "UntrackedPullRequest")],
    want: "untracked pull requests: 1",
    todo: "",
  },
  {
    name: "no feedback for which GitHub was away",
    events: [skip(20, "ProviderUnavailable")],
    want: "",
    failure: "ProviderUnavailable: It is so.",
    todo: "Look at the provider's status page and at what is between it and the connector: proxy, NetworkPolicy, DNS.",
  },
])("has $name as what was skipped", ({ events, want, todo, failure = "" }) => {
  expect(row({ events })).toMatchObject({ "LAST SKIP": want, "LAST FAILURE": failure, "WHAT TO DO": todo });
});

it("says what to do of a failure before that of a skip", () => {
  const events = [event(10, "AccessDenied", { status: "False" }), skip(55, "AutofixDisabled")];
  expect(row({ events })).toMatchObject({
    "LAST SKIP": "AutofixDisabled 5m ago",
    "LAST FAILURE": "AccessDenied: It is so.",
    "WHAT TO DO": "Add the person, the team or the channel under the Integration's spec.access.",
  });
});
