import express, { type Express } from "express";

import { deliveryPaths } from "../domain/deliveries/webhook-path.ts";
import { errorTrackerProtocol } from "./error-tracker-request.ts";
import { webhookProtocol } from "./webhook-request.ts";
import { deliveryRoute, type DeliveryRouteDeps } from "./delivery-route.ts";

/** The Express app of the ingress: one path for each trigger type with deliveries; every other path answers 404. */
export function createIngressApp(deps: DeliveryRouteDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  const routes = [
    { path: deliveryPaths.Webhook, deliver: deliveryRoute(deps, webhookProtocol) },
    { path: deliveryPaths.ErrorTracker, deliver: deliveryRoute(deps, errorTrackerProtocol) },
  ];
  for (const { path, deliver } of routes) {
    // Not a route parameter: Express decodes those before any check of ours, and fails on malformed escapes.
    app.use(path, (request, response, next) => {
      const idText = /^\/([^/?]+)(?:\?|$)/.exec(request.url)?.[1];
      if (idText === undefined) next();
      else void deliver(request, response, idText);
    });
  }
  app.use((_request, response) => {
    response.status(404).json({ error: "Not found" });
  });
  return app;
}
