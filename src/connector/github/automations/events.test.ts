import { expect, it } from "vitest";

import { anAutomation } from "../../../../test/support/builders.ts";
import type { Automation, Integration, IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import { systemClock } from "../../../lib/clock.ts";
import { done } from "../../../kube/outcome.ts";
import { Starts } from "../../automations/starts.ts";
import { AutomationEvents, type AutomationEventsDeps } from "./events.ts";

const time = "2026-11-24T12:00:00.000Z";
const namespace = "tenant";
const event = {
  metadata: { name: "github-1", namespace, uid: "e" },
  spec: {
    integrationRef: { name: "github", uid: "i" },
    deliveryID: "E",
    receivedTime: time,
    github: {
      action: "Occurred",
      repository: { id: 1, name: "acme/api" },
      occurrence: { type: "IssueOpened", key: "issue/7/opened", actor: "ann", details: "{}" },
    },
  },
} as const satisfies IntegrationEvent;
const integration = {
  metadata: { name: "github", namespace, uid: "i" },
  spec: { type: "GitHub", github: { slug: "runwright", repositories: [{ name: "api" }] } },
} as unknown as Integration;
const full = anAutomation({
  metadata: { name: "triage", namespace, uid: "a" },
  spec: {
    targets: [{ repositoryRef: { name: "api" } }],
    trigger: {
      type: "GitHub",
      github: { integrationRef: { name: "github" }, events: ["IssueOpened"], from: "Writers", maxUnfinishedRuns: 1 },
    } as unknown as Automation["spec"]["trigger"],
  },
  status: { activeRuns: 1 },
});

/** What a new process does with the event of an Automation whose one place is taken by the Run of a delivery. */
async function pass(deliveryID: string, times = 1): Promise<{ outcome: object; triggered: unknown[]; finds: number }> {
  const triggered: unknown[] = [];
  let finds = 0;
  const clock = { ...systemClock, now: () => new Date(time) };
  const deps = {
    client: {
      find: () => {
        finds += 1;
        return Promise.resolve({ spec: { trigger: { deliveryID } } });
      },
      patchStatus: (_kind: unknown, _event: unknown, status: { triggered?: number }) =>
        Promise.resolve(triggered.push(status.triggered)),
    },
    clock,
    github: { call: () => Promise.reject(new Error("GitHub is asked")) },
    informers: {
      integrations: { get: () => integration },
      events: { get: () => event },
      automations: { byIndex: () => [full] },
      repositories: { get: () => ({ spec: { url: "https://github.com/acme/api.git" } }) },
    },
    connectorMetrics: { eventSettled: () => undefined },
    starts: new Starts(clock),
  } as unknown as AutomationEventsDeps;
  const events = new AutomationEvents(deps, new AbortController().signal);
  let outcome: object = {};
  for (let time = 0; time < times; time += 1) outcome = await events.reconcile({ namespace, name: "github-1" });
  return { outcome, triggered, finds };
}

it("finds the Run that an earlier process started for an event, though it takes the one place", async () => {
  expect(await pass("github-1")).toMatchObject({ outcome: done, triggered: [1] });
});

it("waits where the Run of another event takes the place, and looks for its own once", async () => {
  const { outcome, triggered, finds } = await pass("github-0", 3);
  expect(outcome).not.toEqual(done);
  expect(triggered).toEqual([]);
  expect(finds).toBe(1);
});
