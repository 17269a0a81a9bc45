import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

import { type RawData, WebSocket, WebSocketServer } from "ws";

import type { GatewayMessage, RuntimeMessage } from "../../src/api/runtime/messages.ts";

/** Which sandbox said something or was told it. */
export interface Speaker {
  sessionUid: string;
  attempt: number;
}

export interface RelayObserver {
  /** A runtime said something; the gateway may be gone before it hears it. */
  said(speaker: Speaker, message: RuntimeMessage): void;
  /** The gateway said something, to a runtime that was connected. */
  told(speaker: Speaker, message: GatewayMessage): void;
}

export interface Relay {
  readonly port: number;
  close(): Promise<void>;
}

export interface RelayOptions {
  /** For `localhost`, PEM; runtimes trust its authority. */
  tls: { cert: string; key: string };
  gateway: { port: number; ca: string };
  observer: RelayObserver;
}

/**
 * Stands between runtimes and the gateway and hears all that they say to each other. It lives while both are killed, and
 * keeps nothing: each connection of a runtime is one to the gateway, and ends with it.
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const server = createServer(options.tls);
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, autoPong: false });
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on("error", () => undefined);
    const far = dial(request, options.gateway);
    far.once("open", () => {
      sockets.handleUpgrade(request, stream, head, (near) => join(near, far, request.url ?? "", options.observer));
    });
    far.once("unexpected-response", (_request, { statusCode }) => {
      stream.end(`HTTP/1.1 ${statusCode ?? 502} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      far.terminate();
    });
    far.once("error", () => stream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      for (const client of sockets.clients) client.terminate();
      await once(server, "close");
    },
  };
}

function dial({ url = "", headers }: IncomingMessage, { port, ca }: RelayOptions["gateway"]): WebSocket {
  const { authorization = "" } = headers;
  return new WebSocket(`wss://localhost:${port}${url}`, {
    ca,
    headers: { authorization },
    perMessageDeflate: false,
    autoPong: false,
  });
}

function join(near: WebSocket, far: WebSocket, url: string, observer: RelayObserver): void {
  const [, sessionUid = "", attempt = ""] = /\/sessions\/([^/]+)\/attempts\/(\d+)/.exec(url) ?? [];
  const speaker: Speaker = { sessionUid, attempt: Number(attempt) };
  const isConversation = !url.includes("/streams/");
  forward(near, far, (data) => {
    if (isConversation) observer.said(speaker, JSON.parse(textOf(data)) as RuntimeMessage);
  });
  forward(far, near, (data) => {
    if (isConversation) observer.told(speaker, JSON.parse(textOf(data)) as GatewayMessage);
  });
}

function forward(from: WebSocket, to: WebSocket, heard: (data: RawData) => void): void {
  from.on("message", (data, isBinary) => {
    if (to.readyState !== WebSocket.OPEN) return;
    to.send(data, { binary: isBinary });
    heard(data);
  });
  from.on("ping", (data) => to.ping(data));
  from.on("pong", (data) => to.pong(data));
  from.on("error", () => undefined);
  from.once("close", (code, reason) => {
    // Codes that only say how a connection ended cannot be sent. What is on its way goes before a regular end.
    if (code === 1006) to.terminate();
    else if (code === 1005) to.close();
    else to.close(code, reason);
  });
}

function textOf(data: RawData): string {
  // A message of ws is one Buffer unless it was asked for fragments.
  return (data as Buffer).toString("utf8");
}
