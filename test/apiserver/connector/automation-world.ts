import { randomUUID } from "node:crypto";

import {
  Automation,
  type GitHubTrigger,
  type Integration,
  type IntegrationEvent,
  Run,
} from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { repositoryId } from "../../support/github-pulls.ts";
import { sendGitHub } from "./github-world.ts";
import type { World } from "./world.ts";

/** An event as GitHub sends it. */
export interface SentEvent {
  type: string;
  event: Record<string, unknown>;
}

/** An Automation for the events of an Integration, once the ingress knows it. */
export async function makeAutomation(
  world: World,
  integration: Integration,
  { spec, ...github }: Partial<GitHubTrigger> & { spec?: object } = {},
): Promise<Automation> {
  const made = await world.client.create(Automation, {
    metadata: { name: `fix-${randomUUID().slice(0, 8)}`, namespace: world.namespace },
    spec: {
      instructions: "Fix it.",
      serviceAccountName: "runner",
      targets: [{ repositoryRef: { name: "api" } }],
      trigger: {
        type: "GitHub",
        github: { integrationRef: { name: integration.metadata.name ?? "" }, events: ["IssueOpened"], ...github },
      },
      ...spec,
    },
  } as unknown as Automation);
  const wanted = made.spec.trigger.github?.events ?? [];
  await until("the ingress knows the automation", () => {
    const known = world.wantedEvents(integration);
    return wanted.every((type) => known.has(type));
  });
  return made;
}

let numbers = 1_000;

/** An issue that was opened; of a number that no other has. */
export function issueOpened(
  world: World,
  change: { sender?: string; repository?: string; issue?: object } = {},
): SentEvent {
  numbers += 1;
  const { sender = "ann", repository = "acme/api", issue = {} } = change;
  const event = {
    action: "opened",
    installation: { id: world.github.installation.id },
    repository: { id: repositoryId, full_name: repository },
    issue: {
      number: numbers,
      title: "The login fails",
      html_url: `https://github.com/acme/api/issues/${numbers}`,
      body: "It says 500.",
      user: { login: sender },
      labels: [{ name: "bug" }],
      updated_at: "2026-05-04T10:15:00Z",
      ...issue,
    },
    sender: { login: sender },
  };
  return { type: "issues", event };
}

/** The Runs of an Automation. */
export async function runsOf({ client, namespace }: World, { metadata }: Automation): Promise<Run[]> {
  const { items } = await client.list<Run>(Run, { namespace });
  return items.filter(({ spec }) => spec.automationRef.uid === metadata.uid);
}

/** Sends an event and waits until it was held against the Automations. */
export async function handledByAutomations(
  world: World,
  integration: Integration,
  { type, event }: SentEvent,
  deliveryId: string = randomUUID(),
): Promise<IntegrationEvent> {
  const answer = await sendGitHub(world, integration, event, { type, deliveryId });
  if (answer.status !== 200) throw new Error(`the ingress answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  const find = async (): Promise<IntegrationEvent | undefined> =>
    (await world.events(integration)).find(({ spec }) => spec.deliveryID === deliveryId && spec.github?.occurrence);
  await until("the event was held against automations", async () => (await find())?.status?.settledTime !== undefined);
  return (await find())!;
}
