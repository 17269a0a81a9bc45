import { visibleText } from "../../api/runtime/text.ts";
import type { ErrorTracker } from "../../api/v1alpha1/index.ts";
import { type ErrorEvent, wantedEvent } from "../../domain/deliveries/error-event.ts";
import { randomNameBytes } from "../../domain/object-names.ts";
import { base32 } from "../../lib/base32.ts";
import type { Random } from "../../lib/random.ts";
import type { ExampleDelivery } from "../../domain/deliveries/example-delivery.ts";

interface Example {
  /** An identity that no event had before. */
  id: string;
  project: string;
  level: string;
}

const title = "Example of an error; there is nothing to fix";

const bodies: Record<ErrorEvent["type"], (example: Example) => object> = {
  IssueCreated: (example) => ({ action: "created", data: { issue: issue(example) } }),
  IssueRegression: (example) => ({
    action: "unresolved",
    data: { issue: { ...issue(example), substatus: "regressed", lastSeen: "now" } },
  }),
  IssueAlertTriggered: ({ id, project, level }) => ({
    action: "triggered",
    data: {
      event: { event_id: id, title, level, url: `https://example.com/api/0/projects/example/${project}/events/${id}/` },
      triggered_rule: "example",
    },
  }),
  MetricAlertCritical: ({ id }) => ({
    action: "critical",
    data: { metric_alert: { title, date_started: "now", alert_rule: { id, name: "example" } } },
  }),
};

function issue({ id, project, level }: Example): object {
  return { id, title, level, project: { slug: project } };
}

/** A body with the first of the wanted events that project and level leave, for an event that was not there before. */
export function exampleEvent(wanted: ErrorTracker, random: Pick<Random, "bytes">): ExampleDelivery {
  const example: Example = {
    id: `example-${base32(random.bytes(randomNameBytes))}`,
    project: wanted.projects[0] ?? "example",
    level: wanted.levels[0] ?? "error",
  };
  const judged = wanted.events.map((type) => {
    const body = bodies[type](example);
    return { body, event: wantedEvent(body, wanted) };
  });
  const found = judged.find(({ event }) => typeof event !== "string") ?? judged[0];
  return {
    body: visibleText(JSON.stringify(found?.body ?? {})),
    problem: typeof found?.event === "string" ? `no event matches: ${found.event}` : undefined,
  };
}
