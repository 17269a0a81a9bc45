import { z } from "zod";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import { type IntegrationProtocol, type ReadRequest, usualBytes } from "./protocol.ts";
import { isForm, sentJson } from "./sent-json.ts";
import { readSlackEvent, readSlackInteraction, type ReadSlackEvent } from "./slack-event.ts";

/** Seconds that the time of a request may differ from ours, in either direction. */
const freshWithinSeconds = 300;
const version = "v0";

/** Sent when a person sets the app's request URL. */
const UrlVerification = z.object({ type: z.literal("url_verification"), challenge: z.string().max(1_000) });

export const slackProtocol: IntegrationProtocol = {
  type: "Slack",
  longestBytes: usualBytes,
  challenge: 'HMAC-SHA256 header="X-Slack-Signature"',
  signatureOf(headers, now) {
    const sent = headers["x-slack-signature"];
    const time = headers["x-slack-request-timestamp"];
    if (typeof sent !== "string" || sent === "" || typeof time !== "string") {
      const message = "Missing signature; send it as X-Slack-Signature, and its time as X-Slack-Request-Timestamp";
      throw new Refusal({ code: "MissingKey", message });
    }
    if (!sent.startsWith(`${version}=`)) throw wrong(`X-Slack-Signature must begin with ${version}=`);
    if (!/^[0-9]{1,15}$/.test(time)) throw wrong("X-Slack-Request-Timestamp must be a number of seconds");
    const seconds = Math.abs(Math.floor(now.getTime() / 1_000) - Number(time));
    if (seconds > freshWithinSeconds) {
      const message = `X-Slack-Request-Timestamp differs from our time by ${seconds} s; at most ${freshWithinSeconds} s are taken`;
      throw new Refusal({ code: "Stale", message });
    }
    return { signature: sent.slice(version.length + 1), prefix: `${version}:${time}:` };
  },
  read(body, { headers, wantedChannels }) {
    const value = sentJson(body, headers);
    if (isForm(headers)) return kept(readSlackInteraction(value));
    const { data } = UrlVerification.safeParse(value);
    if (!data) return kept(readSlackEvent(value, wantedChannels));
    return { workspace: undefined, event: "the request URL was verified", challenge: data.challenge };
  },
  workspaceOf: ({ slack }) => slack?.teamID,
};

function wrong(message: string): Refusal {
  return new Refusal({ code: "WrongKey", message });
}

function kept({ teamId, eventId, event }: ReadSlackEvent): ReadRequest {
  if (typeof event === "string") return { workspace: teamId, event };
  return { workspace: teamId, event: { kept: [{ slack: event }], deliveryId: () => eventId } };
}
