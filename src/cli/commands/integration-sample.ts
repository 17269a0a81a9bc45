import { createHmac } from "node:crypto";

import type { Integration } from "../../api/v1alpha1/index.ts";

export interface Sample {
  headers: Record<string, string>;
  body: string;
}

/** A sample as the Integration's provider would send and sign it. */
export function integrationSample(
  { spec: { github, linear, slack } }: Integration,
  { secret, deliveryId, now }: { secret: string; deliveryId: string; now: Date },
): Sample {
  const sign = (text: string): string => createHmac("sha256", secret).update(text).digest("hex");
  const type = { "content-type": "application/json" };
  if (slack) {
    const event = { type: "runwright_test" };
    const body = JSON.stringify({ type: "event_callback", team_id: slack.teamID, event_id: deliveryId, event });
    const time = String(Math.floor(now.getTime() / 1_000));
    const signature = `v0=${sign(`v0:${time}:${body}`)}`;
    return { headers: { ...type, "x-slack-request-timestamp": time, "x-slack-signature": signature }, body };
  }
  if (github) {
    const body = JSON.stringify({ installation: { id: github.installationID } });
    const signature = `sha256=${sign(body)}`;
    const headers = { "x-github-event": "runwright_test", "x-github-delivery": deliveryId };
    return { headers: { ...type, ...headers, "x-hub-signature-256": signature }, body };
  }
  const body = JSON.stringify({
    type: "RunwrightTest",
    organizationId: linear?.organizationID,
    webhookTimestamp: now.getTime(),
  });
  return { headers: { ...type, "linear-delivery": deliveryId, "linear-signature": sign(body) }, body };
}
