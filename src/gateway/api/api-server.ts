import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from "express";
import type { Clock } from "../../lib/clock.ts";
import { readWhole } from "../../lib/read-in-parts.ts";
import { answerBeforeBody, mostDiscarded } from "../../lib/rest-of-body.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import { arrivalLimits, limitAddresses } from "../../lib/address-cap.ts";
import { FairRate } from "../http/fair-rate.ts";
import { FairShares } from "../../lib/fair-shares.ts";
import { createTlsServer, mostConnections, type TlsServer } from "../http/tls-server.ts";
import { parseTunnelPath } from "../tunnels/tunnel-path.ts";
import type { Tunnels } from "../tunnels/tunnels.ts";
import { ApiError, apiErrorOf } from "../http/errors.ts";
import { openApiDocument } from "./openapi.ts";

/** The REST API over TLS. */
export function createApiServer(deps: {
  router: Router;
  tunnels: Tunnels;
  clock: Clock;
  logger: Logger;
  metrics: GatewayMetrics;
  /** Concurrent connections of one remote address. */
  connectionsPerAddress: number;
}): TlsServer {
  const { tunnels } = deps;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(countAnswers(deps.metrics));
  const document = openApiDocument();
  app.get("/openapi.json", (_request, response) => void response.json(document));
  app.use(async (request, response, next) => {
    const path = parseTunnelPath(request.originalUrl);
    if (path) await tunnels.request(path, request, response);
    else next();
  });
  app.use(deps.router);
  app.use(() => {
    throw new ApiError("NotFound", "Not found");
  });
  app.use(answerErrors(deps));
  const tls = createTlsServer({ minVersion: "TLSv1.2", clock: deps.clock }, app);
  const dropped = (): void => deps.metrics.apiConnectionsDropped.inc();
  const shares = new FairShares({ places: mostConnections, perKey: deps.connectionsPerAddress });
  limitAddresses(tls.server, { shares, arrivals: new FairRate(arrivalLimits, deps.clock) }, dropped);
  tls.server.on("drop", dropped);
  tls.server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // Without a listener, a peer that disconnects would cause an uncaught exception.
    stream.on("error", () => stream.destroy());
    if (!(stream instanceof Socket)) return;
    readWhole(stream);
    tunnels.upgrade(request, stream, head).catch(() => stream.destroy());
  });
  return tls;
}

/** Metric label of the method; HEAD counts as GET. */
const timedMethods = new Map([
  ["GET", "GET"],
  ["HEAD", "GET"],
  ["POST", "POST"],
]);

/** Routes whose durations are not measured, since they are no operations of the API. */
const untimedRoutes = new Set(["tunnel", "none"]);

function isStream(response: Response): boolean {
  return String(response.getHeader("content-type")).startsWith("text/event-stream");
}

function countAnswers(metrics: GatewayMetrics): RequestHandler {
  return (request, response, next) => {
    const answered = metrics.apiDurations.startTimer({ method: timedMethods.get(request.method) ?? "other" });
    response.once("finish", () => {
      const labels = labelsOf(request, response.statusCode);
      metrics.apiRequests.inc(labels);
      if (!untimedRoutes.has(labels.route) && !isStream(response)) answered();
    });
    next();
  };
}

function labelsOf(request: Request, status: number): { route: string; status: string } {
  // A server in a sandbox may answer any status; its class alone is a label.
  if (parseTunnelPath(request.originalUrl)) return { route: "tunnel", status: `${Math.floor(status / 100)}xx` };
  // The pattern of the route, so that paths do not become labels.
  const { route } = request as { route?: { path?: unknown } };
  return { route: typeof route?.path === "string" ? route.path : "none", status: String(status) };
}

/** `Retry-After` of server errors. */
const retryAfterSeconds = "2";

/** Express middleware that answers errors as JSON, and logs those of the gateway itself. */
function answerErrors({ logger, clock }: { logger: Logger; clock: Clock }): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, message, code, details } = apiErrorOf(error);
    if (status >= 500) {
      logger.error({ err: error }, "Could not answer a request");
      response.setHeader("retry-after", retryAfterSeconds);
    }
    if (status === 401) response.setHeader("www-authenticate", "Bearer");
    const body = JSON.stringify({ error: message, code, ...details });
    response.status(status).set("content-type", "application/json; charset=utf-8");
    response.set("content-length", String(Buffer.byteLength(body)));
    if (mostDiscarded(request) > 0) answerBeforeBody({ request, response, clock }, body, () => response.flushHeaders());
    else response.end(body);
  };
}
