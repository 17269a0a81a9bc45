import { describe, expect, it } from "vitest";

import type { Automation, Integration } from "../../../api/v1alpha1/index.ts";
import { anAutomation } from "../../../../test/support/builders.ts";
import { integrationProblem } from "./integration.ts";

const automation = anAutomation({
  metadata: { name: "fix", namespace: "demo" },
  spec: {
    targets: [{ repositoryRef: { name: "api" } }],
    trigger: {
      type: "GitHub",
      github: { integrationRef: { name: "host" }, events: ["IssueOpened", "WorkflowRunCompleted", "IssueLabeled"] },
    } as Automation["spec"]["trigger"],
  },
});
const ready = { type: "Ready", status: "True", reason: "Ready", message: "m", lastTransitionTime: "" } as const;
const healthy = {
  metadata: { name: "host", namespace: "demo" },
  spec: { type: "GitHub", suspend: false, github: { repositories: [{ name: "web" }, { name: "api" }] } },
  status: { conditions: [ready], github: { events: ["issues", "workflow_run"] } },
} as unknown as Integration;

function problemOf(change: { spec?: object; status?: object } | undefined): unknown {
  const found = change && {
    ...healthy,
    spec: { ...healthy.spec, ...change.spec },
    status: { ...healthy.status, ...change.status },
  };
  return integrationProblem(automation, { name: "host", type: "GitHub", found: found as Integration | undefined });
}

describe("an Integration whose events fire an automation", () => {
  it("has no problem where it is ready, serves the target and its App is subscribed", () => {
    expect(problemOf({})).toBeUndefined();
    expect(integrationProblem(automation, undefined)).toBeUndefined();
  });

  it.each([
    ["is not there", undefined, "IntegrationNotFound", "There is no Integration host"],
    ["is of another type", { spec: { type: "Slack" } }, "IntegrationNotFound", "is of type Slack, and not of GitHub"],
    ["is suspended", { spec: { suspend: true } }, "IntegrationNotReady", "is suspended"],
    ["was not looked at", { status: { conditions: [] } }, "IntegrationNotReady", "has not been looked at yet"],
    [
      "is not ready",
      { status: { conditions: [{ ...ready, status: "False", reason: "SecretNotFound", message: "no Secret" }] } },
      "IntegrationNotReady",
      "is not ready: SecretNotFound: no Secret",
    ],
    [
      "serves other repositories",
      { spec: { github: { repositories: [{ name: "web" }] } } },
      "TargetNotServed",
      "Repository api is none of github.repositories of Integration host",
    ],
    [
      "has an App that is not subscribed",
      { status: { github: { events: ["workflow_run", "pull_request"] } } },
      "EventsNotSubscribed",
      "is not subscribed to issues, so GitHub does not send IssueOpened and IssueLabeled",
    ],
  ])("%s: says so", (_, change, reason, message) => {
    expect(problemOf(change)).toEqual({ reason, message: expect.stringContaining(message) as string });
  });

  it("misses nothing before GitHub was asked", () => {
    expect(problemOf({ status: { github: undefined } })).toBeUndefined();
  });
});
