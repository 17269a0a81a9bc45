import { IntegrationEventSpec, IntegrationSpec, type SlackEvent } from "../../../../src/api/v1alpha1/index.ts";
import { Refusal } from "../../../../src/domain/deliveries/refusal.ts";
import { slackProtocol } from "../../../../src/ingress/integrations/slack-protocol.ts";
import { outcomeOf } from "../../property.ts";
import { must } from "../target.ts";

export const receivedAt = new Date("2026-05-04T10:15:00.000Z");
const wantedChannels = new Set(["C0OPS"]);
const isRefusal = (error: unknown): boolean => error instanceof Refusal;

const spec = IntegrationSpec.parse({
  type: "Slack",
  serviceAccountName: "runner",
  signingSecretRef: { name: "a" },
  credentialsSecretRef: { name: "a" },
  slack: { teamID: "T1" },
});

/** The body of an event of Slack's for the app whose bot is U2. */
export function slackEnvelope(event: string): string {
  return `{"type":"event_callback","team_id":"T1","event_id":"Ev1","authorizations":[{"user_id":"U2","is_bot":true}],"event":${event}}`;
}

/** What is kept of a body; undefined where it is refused or nothing is. What is kept is what the API server takes. */
export function readSlack(input: Buffer): SlackEvent | undefined {
  const headers = { "content-type": "application/json" };
  const request = { headers, now: receivedAt, spec, wantedEvents: new Set<never>(), wantedChannels };
  const outcome = outcomeOf(() => slackProtocol.read(input, request), isRefusal);
  if (outcome === "refused" || typeof outcome.value.event === "string") return undefined;
  const [kept] = outcome.value.event.kept;
  const { error } = IntegrationEventSpec.safeParse({
    integrationRef: { name: "a", uid: "u" },
    deliveryID: outcome.value.event.deliveryId(),
    receivedTime: receivedAt.toISOString(),
    ...kept,
  });
  must(error === undefined, `an IntegrationEvent takes what was read: ${error?.message}`);
  return kept?.slack;
}
