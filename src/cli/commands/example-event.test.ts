import { describe, expect, it } from "vitest";

import { ErrorTracker } from "../../api/v1alpha1/index.ts";
import { wantedEvent } from "../../domain/deliveries/error-event.ts";
import { systemRandom } from "../../lib/random.ts";
import { exampleEvent } from "./example-event.ts";

const all = ["IssueCreated", "IssueRegression", "IssueAlertTriggered", "MetricAlertCritical"] as const;
const example = (settings: object): { body: string; problem: string | undefined; event: unknown } => {
  const wanted = ErrorTracker.parse(settings);
  const { body, problem } = exampleEvent(wanted, systemRandom);
  return { body, problem, event: wantedEvent(JSON.parse(body), wanted) };
};

describe("an example of an event", () => {
  it.each(all)("%s is one that the trigger wants", (type) => {
    expect(example({ events: [type] })).toMatchObject({ problem: undefined, event: { type } });
  });

  it.each(all.slice(0, 3))("%s has the project and the level that the trigger wants", (type) => {
    const { problem, event } = example({ events: [type], projects: ["checkout"], levels: ["fatal"] });
    expect([problem, event]).toMatchObject([undefined, { type, project: "checkout", level: "fatal" }]);
  });

  it("is the first that project and level leave", () => {
    const { event } = example({ events: ["MetricAlertCritical", "IssueRegression"], projects: ["checkout"] });
    expect(event).toMatchObject({ type: "IssueRegression" });
  });

  it("says why there is none", () => {
    const { problem } = example({ events: ["MetricAlertCritical"], projects: ["checkout"] });
    expect(problem).toBe("no event matches: The event has no project, but it must be one of checkout");
  });

  it.each(all)("%s is an event that was not there before", (type) => {
    expect(example({ events: [type] }).event).not.toEqual(example({ events: [type] }).event);
  });
});
