import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

import { passedOn, type RawHeaders } from "../../lib/raw-headers.ts";
import { type Hop, relayRequest, relayUpgrade } from "../../lib/relay.ts";
import { listenHere } from "./listen-here.ts";
import { isLoopbackHost } from "./loopback-host.ts";
import { isPageCookie, withoutPageCookies } from "./one-time-access.ts";

export interface ForwardTarget {
  /** Path of the tunnel at the gateway, without a slash at its end. */
  prefix: string;
  /** A new connection to the gateway. */
  connect: () => Promise<Duplex>;
  token: () => Promise<string>;
  /** Shows an error to the user. */
  note: (line: string) => void;
}

/**
 * Serves a tunnel at a port of this machine alone. The port is an origin of its own: pages of the sandbox can do nothing
 * at the gateway, and the browser needs no token. `port` 0 takes any free port.
 * @throws CliError where the port cannot be had
 */
export async function forwardLocally(port: number, target: ForwardTarget): Promise<Server> {
  const server = createServer((from, to) => {
    void answer(from, to, target, (hop) => relayRequest(from, to, hop));
  });
  server.on("upgrade", (from: IncomingMessage, near: Duplex, head: Buffer) => {
    near.on("error", () => near.destroy());
    if (!(near instanceof Socket)) return;
    const to = new ServerResponse(from);
    to.shouldKeepAlive = false;
    to.assignSocket(near);
    to.on("finish", () => near.destroySoon());
    void answer(from, to, target, (hop) => relayUpgrade(from, { near, head, to }, hop));
  });
  await listenHere(server, port);
  return server;
}

async function answer(
  from: IncomingMessage,
  to: ServerResponse,
  target: ForwardTarget,
  relay: (hop: Hop) => Promise<void>,
): Promise<void> {
  try {
    // Refuses DNS rebinding: a web page whose host name resolves to this machine.
    if (isLoopbackHost(from.headers.host)) await relay(await hopOf(from, target));
    else to.writeHead(403).end("Use the address that kubectl runwright shows\n");
  } catch (error) {
    target.note(`the gateway gave no answer: ${error instanceof Error ? error.message : "no reason was given"}`);
    if (to.headersSent) to.destroy();
    else to.writeHead(502).end("The gateway gave no answer\n");
  }
}

async function hopOf(from: IncomingMessage, { prefix, connect, token }: ForwardTarget): Promise<Hop> {
  const [connection, bearer] = await Promise.all([connect(), token()]);
  const kept = passedOn(from.rawHeaders, (name) => name === "authorization" || name.startsWith("sec-fetch-"));
  const headers = kept.flatMap(([name, value]) =>
    name.toLowerCase() === "cookie" ? [name, withoutPageCookies(value)] : [name, value],
  );
  return {
    connection,
    path: `${prefix}${from.url ?? "/"}`,
    headers: [...headers, "authorization", `Bearer ${bearer}`],
    answerHeaders: (raw) => headersOf(raw, prefix),
  };
}

/** Takes the tunnel's path, which the gateway added, off cookies and redirects, and leaves out cookies that would sign people out of the page. */
export function headersOf(raw: RawHeaders, prefix: string): string[] {
  return passedOn(raw).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    if (key === "set-cookie" && isPageCookie(value)) return [];
    if (key === "set-cookie") return [name, value.replace(`Path=${prefix}/`, "Path=/")];
    return key === "location" && value.startsWith(`${prefix}/`) ? [name, value.slice(prefix.length)] : [name, value];
  });
}
