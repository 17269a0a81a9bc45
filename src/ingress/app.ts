import type { RequestListener } from "node:http";

import { Refusal } from "../domain/deliveries/refusal.ts";
import { integrationsPath } from "../domain/integrations/path.ts";
import { deliveryPaths } from "../domain/deliveries/webhook-path.ts";
import { answer } from "./answer.ts";
import { errorTrackerProtocol } from "./error-tracker-request.ts";
import { webhookProtocol } from "./webhook-request.ts";
import { deliveryRoute, type DeliveryRouteDeps } from "./delivery-route.ts";
import { githubProtocol } from "./integrations/github-protocol.ts";
import { linearProtocol } from "./integrations/linear-protocol.ts";
import { slackProtocol } from "./integrations/slack-protocol.ts";
import { integrationRoute, type IntegrationRouteDeps } from "./integrations/integration-route.ts";

export interface IngressAppDeps extends DeliveryRouteDeps {
  /** Absent where the release has no connector. */
  integrations?: IntegrationRouteDeps | undefined;
}

/**
 * The listener of the ingress: one path for each trigger type with deliveries, and one for events of each provider of Integrations;
 * every other path answers 404. Escapes are compared as they were sent: a well-formed id needs none.
 */
export function createIngressApp(deps: IngressAppDeps): RequestListener {
  const routes = [
    { path: routePath(deliveryPaths.Webhook), deliver: deliveryRoute(deps, webhookProtocol) },
    { path: routePath(deliveryPaths.ErrorTracker), deliver: deliveryRoute(deps, errorTrackerProtocol) },
    ...integrationRoutes(deps.integrations),
  ];
  return (request, response) => {
    for (const { path, deliver } of routes) {
      const idText = path.exec(request.url ?? "")?.[1];
      if (idText !== undefined) return void deliver(request, response, idText);
    }
    answer({ request, response, clock: deps.clock, challenge: "" }, notFound);
  };
}

const notFound = new Refusal({ code: "NotFound", message: "Not found" });

function integrationRoutes(deps: IntegrationRouteDeps | undefined) {
  if (!deps) return [];
  return [
    { path: routePath(integrationsPath, "/github"), deliver: integrationRoute(deps, githubProtocol) },
    { path: routePath(integrationsPath, "/linear"), deliver: integrationRoute(deps, linearProtocol) },
    { path: routePath(integrationsPath, "/slack"), deliver: integrationRoute(deps, slackProtocol) },
  ];
}

/**
 * Matches the path with an id between its two parts, whatever the query, and captures the id. People join a base URL and a path with a
 * slash too many, and some senders end each URL with one; a proxy may send the whole URL.
 */
function routePath(before: string, after = ""): RegExp {
  const [start, end] = [before, after].map((path) => path.replaceAll("/", "/+"));
  return new RegExp(`^(?:https?://[^/?]*)?${start}/+([^/?]+)${end}/*(?:\\?|$)`);
}
