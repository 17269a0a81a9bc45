import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { BoundedRequest } from "../lib/bounded-request.ts";
import { readInParts } from "../lib/read-in-parts.ts";
import { limitConnections, requestTimes, type ServerLimits, timeouts } from "../lib/server-limits.ts";
import { gatewayPath, isApiPath } from "./api-route.ts";
import { sendError, sendFile, sendJson } from "./answers.ts";
import { forwardToGateway, type GatewayLink } from "./forward.ts";
import { isPageAddress } from "./page-address.ts";
import type { PageFile } from "./page-files.ts";
import type { PageSession } from "./page-session.ts";
import { type Refused, refusalOf } from "./request-rules.ts";
import { securityHeaders } from "./security-headers.ts";

/** Who may use the page, and with whose token. */
export interface PageAccess {
  /** The session of a browser. */
  session(request: IncomingMessage): Promise<PageSession>;
  /** The person's token for the gateway; undefined for a browser that is not signed in. */
  token(request: IncomingMessage): Promise<string | undefined>;
  /** Answers requests to paths of its own, such as a login; false for all others. */
  answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean>;
  /** Why a host name is not this server's; undefined where it is. */
  wrongHost?(host: string | undefined): string | undefined;
}

export interface PageServerDeps {
  files: readonly PageFile[];
  access: PageAccess;
  gateway: GatewayLink;
  /** Reports an error of a request; the browser gets no details. */
  onError: (error: unknown) => void;
  /** Called for each connection that found no place. */
  onDropped?: (() => void) | undefined;
}

/** Tokens of some identity providers are long, and come in several cookies. */
const maxHeaderSize = 32_768;

/** Each connection may hold headers of 32 KiB, which take 56 KiB: together a quarter of the memory that the chart gives. */
const defaultLimits: ServerLimits = { ...requestTimes, connections: 1_024 };

/** Serves the page and forwards its requests to the gateway. */
export function createPageServer(deps: PageServerDeps, limits: ServerLimits = defaultLimits): Server {
  const files = new Map(deps.files.map((file) => [file.path, file]));
  const options = { IncomingMessage: BoundedRequest, maxHeaderSize, ...timeouts(limits) };
  const server = createServer(options, (request, response) => {
    answer({ ...deps, files }, request, response).catch((error: unknown) => {
      deps.onError(error);
      if (response.headersSent) response.destroy();
      else sendError(response, 502, "Unavailable", "the gateway gave no answer; try again");
    });
  });
  readInParts(server, "connection");
  limitConnections(server, limits.connections, () => deps.onDropped?.());
  return server;
}

type Parts = Omit<PageServerDeps, "files"> & { files: ReadonlyMap<string, PageFile> };

async function answer(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const refused = refusal(parts, request);
  const url = urlOf(request);
  if (refused) sendError(response, refused.status, "Forbidden", refused.error);
  else if (!url) sendError(response, 400, "InvalidRequest", "the path cannot be read");
  else if (isApiPath(url.pathname)) await forward(parts, { request, response, url });
  else if (!(await parts.access.answer(request, response, url))) await answerPage(parts, { request, response, url });
}

function refusal({ access }: Parts, { method = "GET", headers }: IncomingMessage): Refused | undefined {
  const wrongHost = access.wrongHost?.(headers.host);
  return wrongHost === undefined ? refusalOf(method, headers) : { status: 403, error: wrongHost };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}

async function answerPage({ access, files }: Parts, { request, response, url }: Exchange): Promise<void> {
  const isRead = request.method !== "POST";
  const file = files.get(isPageAddress(url.pathname) ? "/" : url.pathname);
  if (isRead && url.pathname === "/page/session") sendJson(response, 200, await access.session(request));
  else if (isRead && file) sendFile(response, file);
  else sendError(response, 404, "NotFound", "Not found");
}

/** Undefined for a target that is no path. */
function urlOf({ url = "/" }: IncomingMessage): URL | undefined {
  return url.startsWith("/") && URL.canParse(url, "http://page") ? new URL(url, "http://page") : undefined;
}

async function forward({ access, gateway }: Parts, { request, response, url }: Exchange): Promise<void> {
  const path = gatewayPath(request.method ?? "GET", url);
  const token = path === undefined ? undefined : await access.token(request);
  if (path === undefined) sendError(response, 404, "NotFound", "the REST API has no such operation");
  else if (token === undefined) sendError(response, 401, "Unauthorized", "sign in first");
  else await forwardToGateway({ from: request, to: response, path, token }, gateway);
}
