import express, { type Express } from "express";

import { webhookRoute, type WebhookRouteDeps } from "./webhook-route.ts";

/** The ingress: one path, to which senders post; everything else is not found. */
export function createIngressApp(deps: WebhookRouteDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  const deliver = webhookRoute(deps);
  // Not a route parameter: those are decoded before anything else is checked, and fail where they cannot be.
  app.use("/webhooks/automation", (request, response, next) => {
    const idText = /^\/([^/?]+)(?:\?|$)/.exec(request.url)?.[1];
    if (idText === undefined) next();
    else void deliver(request, response, idText);
  });
  app.use((_request, response) => {
    response.status(404).json({ error: "Not found" });
  });
  return app;
}
