import type { IncomingHttpHeaders } from "node:http";

import { parsePayload } from "../../domain/deliveries/payload.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import { readLinearEvent } from "./linear-event.ts";
import { type IntegrationProtocol, usualBytes } from "./protocol.ts";

const longestDeliveryId = 200;

export const linearProtocol: IntegrationProtocol = {
  type: "Linear",
  longestBytes: usualBytes,
  challenge: 'HMAC-SHA256 header="Linear-Signature"',
  signatureOf(headers) {
    const signature = headers["linear-signature"];
    if (typeof signature === "string" && signature !== "") return { signature };
    throw new Refusal({ code: "MissingKey", message: "Missing signature; send it as Linear-Signature" });
  },
  read(body, { headers, now }) {
    const { organizationId, event } = readLinearEvent(parsePayload(body).value, now);
    const isKept = typeof event !== "string";
    return {
      workspace: organizationId,
      event: isKept ? { kept: [{ linear: event }], deliveryId: () => deliveryIdOf(headers) } : event,
    };
  },
  workspaceOf: ({ linear }) => linear?.organizationID,
};

/** Not `webhookId` in the body: that names the webhook and not the delivery. */
function deliveryIdOf(headers: IncomingHttpHeaders): string {
  const id = headers["linear-delivery"];
  if (typeof id === "string" && id !== "" && id.length <= longestDeliveryId) return id;
  const message = `The header Linear-Delivery must be the delivery's id, of at most ${longestDeliveryId} characters`;
  throw new Refusal({ code: "InvalidPayload", message });
}
