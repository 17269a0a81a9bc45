import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";

import { afterEach, beforeEach, expect, it } from "vitest";

import { readInParts, readWhole } from "./read-in-parts.ts";

let server: Server;
/** Requests, and ends of their bodies, each with the pieces of all bodies that were parsed before. */
let parsed: Map<string, Readonly<Record<string, number>>>;
let pieces: Record<string, number>;
/** Bytes that were passed on at once. */
let parts: number[];
let handle: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(() => {
  parsed = new Map();
  pieces = {};
  parts = [];
  handle = () => undefined;
  server = createServer((request, response) => {
    const { url = "" } = request;
    parsed.set(url, { ...pieces });
    request.on("data", () => (pieces[url] = (pieces[url] ?? 0) + 1));
    request.once("end", () => parsed.set(`end of ${url}`, { ...pieces }));
    handle(request, response);
  });
  readInParts(server, "connection");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A connection whose reads are what the test pushes. */
function open(): Duplex {
  const connection = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
  const push = connection.push.bind(connection);
  connection.push = (part: Buffer | null) => {
    parts.push(part?.length ?? 0);
    return push(part);
  };
  server.emit("connection", connection);
  return connection;
}

/** Pieces of one byte, in a read of 64 KiB. */
const count = 10_900;
/** Pieces of one byte in a part, with one that began before. */
const inPart = 683;
const head = (path: string): string => `POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n`;
const long = (path: string): Buffer => Buffer.from(`${head(path)}${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`);
const short = (path: string): Buffer => Buffer.from(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);

/** Resolves with the pieces that were parsed before it. */
async function before(one: string): Promise<Readonly<Record<string, number>>> {
  await expect.poll(() => parsed.has(one)).toBe(true);
  return parsed.get(one)!;
}

it("leaves a turn of the event loop before all of a read is parsed", async () => {
  let inFirstTurn = count;
  handle = () => process.nextTick(() => (inFirstTurn = pieces["/long"] ?? 0));
  open().push(long("/long"));
  expect((await before("end of /long"))["/long"]).toBe(count);
  expect(inFirstTurn).toBeLessThan(inPart);
});

it("lets a short request pass a long body", async () => {
  open().push(long("/long"));
  open().push(short("/short"));
  await before("end of /long");
  expect((await before("/short"))["/long"]).toBeLessThan(2 * inPart);
});

it("gives each long body a part in turn", async () => {
  for (const path of ["/1", "/2", "/3"]) open().push(long(path));
  const { "/2": second = 0, "/3": third = 0 } = await before("end of /1");
  expect(count - Math.min(second, third)).toBeLessThan(2 * inPart);
  expect((await before("end of /3"))["/3"]).toBe(count);
});

it("parses at once what is left of a body whose length is known, and nothing more than that length", async () => {
  handle = (_request, response) => void response.end();
  const plain = `POST /plain HTTP/1.1\r\nhost: a\r\ncontent-length: 50000\r\n\r\n${"x".repeat(50_000)}`;
  open().push(Buffer.concat([Buffer.from(plain), long("/long")]));
  expect((await before("end of /plain"))["/plain"]).toBe(2);
  expect((await before("end of /long"))["/long"]).toBe(count);
  expect(parts.slice(0, 4)).toEqual([4_096, 50_000, 4_096, 4_096]);
});

it("parses nothing more of a connection that was ended", async () => {
  handle = (request) => {
    if (request.url === "/ended") request.once("data", () => request.destroy());
  };
  const connection = open();
  connection.push(long("/ended"));
  connection.push(long("/ended"));
  open().push(long("/long"));
  expect((await before("end of /long"))["/ended"]).toBeLessThan(inPart);
});

it("passes the end of a connection on after all that was read", async () => {
  const connection = open();
  connection.push(long("/long"));
  connection.push(null);
  expect((await before("end of /long"))["/long"]).toBe(count);
  await expect.poll(() => connection.readableEnded).toBe(true);
});

it("keeps the order of requests on one connection", async () => {
  handle = (_request, response) => void response.end();
  const connection = open();
  for (const path of ["/1", "/2", "/3"]) connection.push(Buffer.concat([long(path), short(`${path}/next`)]));
  await before("end of /3/next");
  const requests = [...parsed.keys()].filter((one) => one.startsWith("/"));
  expect(requests).toEqual(["/1", "/1/next", "/2", "/2/next", "/3", "/3/next"]);
});

it("reads on when all has been parsed, also for a reader that pauses", async () => {
  const body = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join("");
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    setImmediate(() => void text(request).then((all) => response.end(String(all === body))));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const length = Buffer.byteLength(body);
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${body}`);
  expect(await text(socket)).toContain("true");
});

it("passes whole reads on when that is asked for", async () => {
  const connection = open();
  const lengths: number[] = [];
  const upgraded = new Promise((resolve) => {
    server.once("upgrade", (_request, socket: Socket) => {
      readWhole(socket);
      socket.on("data", (bytes: Buffer) => lengths.push(bytes.length));
      resolve(undefined);
    });
  });
  connection.push(Buffer.from("GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"));
  await upgraded;
  connection.push(Buffer.alloc(60_000));
  await expect.poll(() => lengths).toEqual([60_000]);
});
