import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { passedOn, type RawHeaders } from "../lib/raw-headers.ts";
import { relayRequest } from "../lib/relay.ts";
import { securityHeaders } from "./security-headers.ts";

/** The gateway, as the page's server reaches it. */
export interface GatewayLink {
  /** A new connection, used for one request. */
  connect(): Promise<Duplex>;
  /** `Host` of requests. */
  host: string;
}

const forGateway = new Set(["accept", "content-type", "content-length", "last-event-id"]);
const forBrowser = new Set(["content-type", "content-length", "content-disposition", "retry-after"]);

/** Forwards a request of the REST API with the person's token, and nothing else of the browser's: no cookie leaves. */
export async function forwardToGateway(
  { from, to, path, token }: { from: IncomingMessage; to: ServerResponse; path: string; token: string },
  gateway: GatewayLink,
): Promise<void> {
  await relayRequest(from, to, {
    connection: await gateway.connect(),
    path,
    headers: [...chosen(from.rawHeaders, forGateway), "host", gateway.host, "authorization", `Bearer ${token}`],
    answerHeaders: (raw) => [
      ...chosen(raw, forBrowser),
      ...Object.entries(securityHeaders).flat(),
      "cache-control",
      "no-store",
    ],
  });
}

function chosen(raw: RawHeaders, names: ReadonlySet<string>): string[] {
  return passedOn(raw, (name) => !names.has(name)).flat();
}
