import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { join } from "./join-streams.ts";
import type { RawHeaders } from "./raw-headers.ts";

/** Where a request goes on to, and what becomes of headers on the way there and back. */
export interface Hop {
  /** Used for this one request. */
  connection: Duplex;
  path: string;
  headers: readonly string[];
  answerHeaders(raw: RawHeaders): string[];
}

/** Passes one request on and its answer back. Rejects when there is no answer; later failures cut it off. */
export function relayRequest(from: IncomingMessage, to: ServerResponse, hop: Hop): Promise<void> {
  return new Promise((resolve, reject) => {
    const onward = requestFor(from, hop, bodyHeaders(from));
    onward.on("error", (error) => (to.headersSent ? to.destroy() : reject(error)));
    onward.on("response", (answer) => {
      passBack(answer, to, hop);
      resolve();
    });
    // Nobody waits for the answer any more.
    to.on("close", () => onward.destroy());
    pipeline(from, onward, () => undefined);
  });
}

/** Passes a WebSocket on. Rejects when there is no answer. */
export function relayUpgrade(
  from: IncomingMessage,
  { near, head, to }: { near: Socket; head: Buffer; to: ServerResponse },
  hop: Hop,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onward = requestFor(from, hop, ["connection", "Upgrade", "upgrade", "websocket"]);
    onward.on("error", (error) => (to.headersSent ? near.destroy() : reject(error)));
    onward.on("upgrade", (answer, far, farHead) => {
      to.detachSocket(near);
      near.write(switching(hop.answerHeaders(answer.rawHeaders)), "latin1");
      near.write(farHead);
      far.write(head);
      join(near, far);
      resolve();
    });
    onward.on("response", (answer) => {
      passBack(answer, to, hop);
      resolve();
    });
    near.on("close", () => onward.destroy());
    onward.end();
  });
}

function requestFor(from: IncomingMessage, { connection, path, headers }: Hop, added: readonly string[]) {
  return request({
    method: from.method,
    path,
    headers: [...headers, ...added],
    createConnection: () => connection,
    setDefaultHeaders: false,
  });
}

/** How the body is framed must be said anew: Node would send that of a GET without any frame. */
function bodyHeaders({ headers }: IncomingMessage): string[] {
  const chunked = headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
  return [...chunked, "connection", "close"];
}

function passBack(answer: IncomingMessage, to: ServerResponse, hop: Hop): void {
  to.writeHead(answer.statusCode ?? 502, hop.answerHeaders(answer.rawHeaders));
  pipeline(answer, to, () => undefined);
}

function switching(headers: readonly string[]): string {
  const lines = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
  return `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines}\r\n`;
}
