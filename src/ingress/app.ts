import express, { type Express } from "express";

import { webhookRoute, type WebhookRouteDeps } from "./webhook-route.ts";

/** The Express app of the ingress: one webhook path; every other path answers 404. */
export function createIngressApp(deps: WebhookRouteDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  const deliver = webhookRoute(deps);
  // Not a route parameter: Express decodes those before any check of ours, and fails on malformed escapes.
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
