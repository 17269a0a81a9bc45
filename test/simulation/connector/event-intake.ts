import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

import type { Accepted } from "../../../src/domain/deliveries/receipt.ts";
import type { ClusterAutomationReader } from "../../../src/ingress/cluster/automation-reader.ts";
import { BodyBudget } from "../../../src/lib/body-budget.ts";
import { EventWriter } from "../../../src/ingress/integrations/event-writer.ts";
import { IntegrationReader } from "../../../src/ingress/integrations/integration-reader.ts";
import { acceptEvents } from "../../../src/ingress/integrations/integration-route.ts";
import { slackProtocol } from "../../../src/ingress/integrations/slack-protocol.ts";
import { unprovenPace } from "../../../src/ingress/integrations/unproven-body.ts";
import { BytePace } from "../../../src/lib/byte-pace.ts";
import { RateLimits } from "../../../src/ingress/rate-limits.ts";
import type { Logger } from "../../../src/telemetry/logger.ts";
import type { ProcessParts } from "../cluster.ts";
import { places, tenant } from "../places.ts";
import { slackPlaces } from "./slack-places.ts";

/** What Slack sends an ingress. */
export interface SignedRequest {
  headers: Record<string, string>;
  body: Buffer;
}

/** How one ingress takes events of Slack's: all but its sockets. The promise rejects with a Refusal. */
export function startIntake(
  { client, clock, random }: ProcessParts,
  automations: ClusterAutomationReader,
  log: Logger,
): (sent: SignedRequest) => Promise<Accepted> {
  const { keysNamespace } = places;
  const integrations = new IntegrationReader({ client, clock, random, keysNamespace, log });
  integrations.start();
  const events = new EventWriter({ client, clock });
  const observer = { answered: () => undefined };
  const [bodies, unproven, requests] = [new BodyBudget(), new BytePace(clock, unprovenPace), new RateLimits(clock)];
  const deps = { integrations, events, automations, bodies, unproven, requests, clock, random, observer };
  const idText = `${tenant}.${slackPlaces.integration}`;
  return ({ headers, body }) => {
    const request = Object.assign(Readable.from([body]), { method: "POST", headers, complete: true });
    const read = { bytes: 0 };
    return acceptEvents(deps, request as unknown as IncomingMessage, { idText, read, protocol: slackProtocol });
  };
}
