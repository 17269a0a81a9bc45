import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import { isHandledType, readGitHubEvent, type Wanted } from "./github-event.ts";
import {
  longestParsedBytes,
  readGitHubOccurrence,
  typesAtGitHub,
} from "../../domain/integrations/github-occurrence.ts";
import type { IntegrationProtocol } from "./protocol.ts";
import { named } from "../../domain/integrations/read-as.ts";
import { sentJson } from "./sent-json.ts";

/** The largest body that GitHub sends: 25 MiB. */
const longestBytes = 26_214_400;
const longestDeliveryId = 200;
const prefix = "sha256=";

export const githubProtocol: IntegrationProtocol = {
  type: "GitHub",
  longestBytes,
  challenge: 'HMAC-SHA256 header="X-Hub-Signature-256"',
  signatureOf(headers) {
    const sent = headers["x-hub-signature-256"];
    if (typeof sent !== "string" || sent === "") {
      throw new Refusal({ code: "MissingKey", message: "Missing signature; send it as X-Hub-Signature-256" });
    }
    if (sent.startsWith(prefix)) return { signature: sent.slice(prefix.length) };
    throw new Refusal({ code: "WrongKey", message: `X-Hub-Signature-256 must begin with ${prefix}` });
  },
  read(body, { headers, spec, wantedEvents }) {
    const type = headers["x-github-event"];
    if (typeof type !== "string" || type === "") {
      throw new Refusal({
        code: "InvalidPayload",
        message: "The header X-GitHub-Event must name the type of the event",
      });
    }
    const wanted: Wanted = { slug: "", ...spec.github };
    if (!isHandledType(type, wanted) && !typesAtGitHub(wantedEvents).has(type))
      return { workspace: undefined, event: `events of type ${named(type)} are not handled` };
    if (body.length > longestParsedBytes) throw tooLarge(type);
    const value = sentJson(body, headers);
    const { installationId, event } = readGitHubEvent(value, type, wanted);
    const occurrence = readGitHubOccurrence(value, type, wantedEvents);
    const kept = [event, occurrence].flatMap((one) => (typeof one === "object" ? [{ github: one }] : []));
    return {
      workspace: String(installationId),
      event: typeof event === "string" && !occurrence ? event : { kept, deliveryId: () => deliveryIdOf(headers, body) },
    };
  },
  workspaceOf: ({ github }) => github && String(github.installationID),
};

/** The delivery's id; a request without one is known by its bytes. */
function deliveryIdOf(headers: IncomingHttpHeaders, body: Buffer): string {
  const id = headers["x-github-delivery"];
  if (id === undefined || id === "") return `sha256-${createHash("sha256").update(body).digest("hex")}`;
  if (typeof id === "string" && id.length <= longestDeliveryId) return id;
  const message = `The header X-GitHub-Delivery must be the delivery's id, of at most ${longestDeliveryId} characters`;
  throw new Refusal({ code: "InvalidPayload", message });
}

function tooLarge(type: string): Refusal {
  const message = `An event of type ${named(type)} is larger than ${longestParsedBytes.toLocaleString("en")} bytes`;
  return new Refusal({ code: "PayloadTooLarge", message });
}
