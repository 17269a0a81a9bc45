import { createHmac, randomUUID } from "node:crypto";

import type { SlackServer } from "./slack-server.ts";

/** The headers with which Slack signs a body. */
export function slackSignature(bytes: Uint8Array, secret: string, atSeconds: number): Record<string, string> {
  const signed = createHmac("sha256", secret).update(`v0:${atSeconds}:`).update(bytes).digest("hex");
  return { "x-slack-request-timestamp": String(atSeconds), "x-slack-signature": `v0=${signed}` };
}

/** An `event_callback` as Slack writes it. */
export function slackEnvelope(
  { team, botUser }: Pick<SlackServer, "team" | "botUser">,
  event: object,
  eventId = `Ev${randomUUID()}`,
): object {
  return {
    token: "unused",
    team_id: team.id,
    api_app_id: "A0APP",
    type: "event_callback",
    event_id: eventId,
    event_time: Math.floor(Date.now() / 1_000),
    authorizations: [{ team_id: team.id, user_id: botUser, is_bot: true }],
    event,
  };
}
