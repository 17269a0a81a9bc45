import { describe, expect, it } from "vitest";

import { annotations, type Automation, type IntegrationEvent, labels, type Reason } from "../api/v1alpha1/index.ts";
import { anAutomation, aPrompt, aSession, aVerdict } from "../../test/support/builders.ts";
import { conversationKeyOf } from "./conversations/facts.ts";
import { pullRequestKeyOf } from "./github/pull-requests/keys.ts";
import { leanAutomation, leanEvent, leanPrompt, leanSession } from "./lean.ts";

const time = "2026-11-24T12:00:00.000Z";
const metadata = {
  name: "slack-1",
  namespace: "tenant",
  uid: "u",
  resourceVersion: "7",
  annotations: { "example.com/note": "x" },
};

function anEvent(reason?: Reason): IntegrationEvent {
  const slack = {
    action: "Asked",
    channelID: "C1",
    threadTS: "1.2",
    ts: "1.3",
    actor: { id: "U1" },
    text: "fix",
  } as const;
  return {
    metadata: { ...metadata },
    spec: { integrationRef: { name: "slack", uid: "i" }, deliveryID: "E", receivedTime: time, slack },
    ...(reason && { status: { settledTime: time, conditions: [aVerdict(false, reason, new Date(time))] } }),
  };
}

it("an event that is not settled keeps all that a decision needs", () => {
  expect(leanEvent(anEvent()).spec).toEqual(anEvent().spec);
});

it.each(["SessionStarted", "TargetUnknown"] satisfies Reason[])(
  "an event that is settled as %s keeps its conversation, and no text",
  (reason) => {
    const lean = leanEvent(anEvent(reason));
    expect(conversationKeyOf(lean)).toEqual(conversationKeyOf(anEvent()));
    expect(lean.status?.settledTime).toBe(time);
    expect(JSON.stringify(lean)).not.toMatch(/fix|example/);
    expect(leanEvent(structuredClone(lean))).toEqual(lean);
  },
);

it("an event whose person was asked keeps what the answer goes on from", () => {
  expect(leanEvent(anEvent("TargetUnknown")).spec).toMatchObject({
    receivedTime: time,
    slack: { ts: "1.3", actor: { id: "U1" } },
  });
});

it("a Prompt keeps how it ended and the beginning of what it said", () => {
  const verdict = aVerdict(true, "Completed", new Date(time));
  const status = { completionTime: time, result: { summary: "s".repeat(501) }, conditions: [verdict] };
  const ofEvent = { ...metadata, labels: { [labels.conversationUid]: "c" } };
  const lean = leanPrompt(aPrompt({ metadata: ofEvent, spec: { text: "do it" }, status }));
  expect(lean.spec).toEqual({ sessionRef: { name: "fix" }, text: "" });
  expect(lean.status).toMatchObject({ result: { summary: "s".repeat(500) }, conditions: [{ reason: "Completed" }] });
  expect(leanPrompt(structuredClone(lean))).toEqual(lean);
});

it("a Prompt that no event led to keeps its branch, and no text", () => {
  const status = { completionTime: time, result: { summary: "said", branch: "fix" } };
  const lean = leanPrompt(aPrompt({ metadata, spec: { text: "do it" }, status }));
  expect(lean.status?.result).toEqual({ branch: "fix" });
});

it("a Prompt keeps that its agent asked for a pull request, and not what that is to say", () => {
  const status = { completionTime: time, result: { branch: "fix" }, pullRequest: { title: "Fix", body: "All." } };
  expect(leanPrompt(aPrompt({ metadata, status })).status?.pullRequest).toEqual({ title: "", body: "" });
});

it("a Prompt keeps when its pull request was asked for", () => {
  const asked = { [annotations.pullRequestRequestedAt]: time };
  const lean = leanPrompt(aPrompt({ metadata: { ...metadata, annotations: { ...metadata.annotations, ...asked } } }));
  expect(lean.metadata.annotations).toEqual(asked);
  expect(leanPrompt(structuredClone(lean))).toEqual(lean);
});

it("an event of GitHub's that is settled keeps its pull request", () => {
  const github = { action: "Changed", repository: { id: 22, name: "acme/api" }, number: 7 } as const;
  const { integrationRef, deliveryID, receivedTime } = anEvent().spec;
  const spec = { integrationRef, deliveryID, receivedTime, github };
  const lean = leanEvent({ ...anEvent("PullRequestUpdated"), spec });
  expect(pullRequestKeyOf(lean)).toEqual({ namespace: "tenant", name: "22-7" });
  const request = { ...lean, spec: { ...spec, github: { ...github, action: "Asked" as const } } };
  const settled = leanEvent({ ...request, status: anEvent("SessionStarted").status });
  expect(conversationKeyOf(settled)).toEqual(conversationKeyOf(request));
});

it("a Session keeps what it is at", () => {
  const sandbox = { attempt: 1, podName: "p", createTime: time, readyTime: time };
  const currentPrompt = { name: "p", uid: "u", startTime: time, deadline: time };
  const lean = leanSession(aSession({ metadata, status: { currentPrompt, sandbox } }));
  expect(lean.status).toEqual({ currentPrompt, sandbox: { readyTime: time } });
  expect(leanSession(structuredClone(lean))).toEqual(lean);
});

describe("an Automation", () => {
  const secret = "do what the secret plan says";
  const status = { activeRuns: 2, lastRun: { name: "r", reason: "Completed", time }, webhook: { path: "/x" } };

  it("by events of GitHub keeps what starts its Runs", () => {
    const trigger = { type: "GitHub", github: { integrationRef: { name: "github" }, events: ["IssueOpened"] } };
    const targets = [{ repositoryRef: { name: "api" } }];
    const spec = { instructions: secret, trigger, targets, suspend: true } as unknown as Automation["spec"];
    const lean = leanAutomation(anAutomation({ metadata, spec, status }));
    expect(lean.spec).toEqual({ trigger, targets, suspend: true });
    expect(lean.status).toMatchObject({ activeRuns: 2, lastRun: { name: "r" } });
    expect(JSON.stringify(lean)).not.toContain(secret);
    expect(leanAutomation(structuredClone(lean))).toEqual(lean);
  });

  it("of another trigger is a name", () => {
    const lean = leanAutomation(anAutomation({ metadata, spec: { instructions: secret }, status }));
    expect(lean.spec).toEqual({ trigger: { type: "Webhook" } });
    expect(lean).not.toHaveProperty("status");
  });
});

it("an event for Automations that is settled keeps nothing of what the agent saw", () => {
  const occurrence = { type: "IssueOpened", key: "k", details: "{}" } as const;
  const github = { action: "Occurred", repository: { id: 22, name: "acme/api" }, occurrence } as const;
  const { integrationRef, deliveryID, receivedTime } = anEvent().spec;
  const spec = { integrationRef, deliveryID, receivedTime, github };
  expect(leanEvent({ ...anEvent(), spec }).spec.github?.occurrence).toEqual(occurrence);
  const lean = leanEvent({ ...anEvent("RunsStarted"), spec });
  expect(lean.spec.github).toEqual({ action: "Occurred", repository: { id: 22, name: "acme/api" } });
});
