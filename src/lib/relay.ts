import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { join } from "./join-streams.ts";
import type { RawHeaders } from "./raw-headers.ts";

/** Target of a forwarded request, with the rewriting of headers. */
export interface Hop {
  /** Used for this one request. */
  connection: Duplex;
  path: string;
  headers: readonly string[];
  answerHeaders(raw: RawHeaders): string[];
}

/** Forwards one request and its answer. Rejects when there is no answer; later failures close the connection. */
export function relayRequest(from: IncomingMessage, to: ServerResponse, hop: Hop): Promise<void> {
  return new Promise((resolve, reject) => {
    const onward = requestFor(from, hop, bodyHeaders(from));
    onward.on("error", (error) => (to.headersSent ? to.destroy() : reject(error)));
    onward.on("response", (answer) => {
      if (!isAnswer(answer)) {
        onward.destroy();
        return;
      }
      passBack(answer, to, hop);
      resolve();
    });
    // Also for a protocol that nobody asked for, of which there is no error.
    onward.on("close", () => reject(noAnswer()));
    // The client has gone.
    to.on("close", () => onward.destroy());
    pipeline(from, onward, () => undefined);
  });
}

/** Forwards a WebSocket. Rejects when there is no answer. */
export function relayUpgrade(
  from: IncomingMessage,
  { near, head, to }: { near: Socket; head: Buffer; to: ServerResponse },
  hop: Hop,
): Promise<void> {
  if (near.destroyed) return noCaller(hop);
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
      if (!isAnswer(answer)) {
        onward.destroy();
        return;
      }
      passBack(answer, to, hop);
      resolve();
    });
    onward.on("close", () => reject(noAnswer()));
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

/** The framing of the body must be set again: Node would send the body of a GET without any. */
function bodyHeaders({ headers }: IncomingMessage): string[] {
  const chunked = headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
  return [...chunked, "connection", "close"];
}

/** The caller has gone before its request was forwarded, so that nothing would end the connection. */
function noCaller({ connection }: Hop): Promise<never> {
  connection.destroy();
  return Promise.reject(new Error("the caller has gone"));
}

function noAnswer(): Error {
  return new Error("the connection ended without an answer");
}

/** Node reads any three digits as a status, and throws where one below 100 is to be sent. */
function isAnswer({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200;
}

function passBack(answer: IncomingMessage, to: ServerResponse, hop: Hop): void {
  to.writeHead(answer.statusCode ?? 502, hop.answerHeaders(answer.rawHeaders));
  // A stream of events begins long before its first event.
  to.flushHeaders();
  pipeline(answer, to, () => undefined);
}

function switching(headers: readonly string[]): string {
  const lines = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
  return `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines}\r\n`;
}
