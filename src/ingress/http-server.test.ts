import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

import { afterEach, expect, it } from "vitest";

import { firstPart } from "../../test/support/first-part.ts";
import { createIngressServer, type IngressLimits } from "./http-server.ts";

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.closeAllConnections();
  server?.close();
  dropped = 0;
});

const quick: IngressLimits = { headersMs: 100, requestMs: 200, keepAliveMs: 60_000, connections: 3, checkEveryMs: 20 };
const echo: RequestListener = (request, response) => {
  request.resume();
  request.on("end", () => response.end("done"));
};

let dropped = 0;

async function open(limits?: IngressLimits, listener = echo): Promise<(localAddress?: string) => Socket> {
  server = createIngressServer({ listener, onDropped: () => void (dropped += 1) }, limits);
  server.listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return (localAddress = "127.0.0.1") => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    sockets.push(socket);
    socket.on("error", () => undefined);
    return socket;
  };
}

/** All that comes until the other side closes. */
async function heard(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

const head = "POST / HTTP/1.1\r\nHost: h\r\n";

it.each([
  { name: "headers that do not end", sent: head, status: 408 },
  { name: "a body that does not end", sent: `${head}Content-Length: 10\r\n\r\n12345`, status: 408 },
  {
    name: "a chunked body that does not end",
    sent: `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
    status: 408,
  },
  { name: "headers of 17 KB", sent: `${head}X: ${"x".repeat(17_000)}\r\n\r\n`, status: 431 },
  { name: "what is not HTTP", sent: "hello\r\n\r\n", status: 400 },
  { name: "a length that is none", sent: `${head}Content-Length: ten\r\n\r\n`, status: 400 },
  {
    name: "two ways to say the length",
    sent: `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    status: 400,
  },
])("answers $name with $status and closes", async ({ sent, status }) => {
  const socket = (await open(quick))();
  socket.write(sent);
  const answer = await heard(socket);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({ error: expect.any(String) as string });
});

it("keeps no connection of a slow sender that does not close after its refusal", async () => {
  await open(quick);
  const accepted = once(server!, "connection") as Promise<[Socket]>;
  const { port } = server!.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => undefined);
  socket.write(head);
  const [near] = await accepted;
  const closed = once(near, "close");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /);
  await closed;
  socket.destroy();
});

it("closes idle connections rather than turn a sender away for long", async () => {
  const dial = await open({ ...quick, headersMs: 10_000, requestMs: 10_000 });
  const request = `${head}Content-Length: 0\r\n\r\n`;
  const idle: Socket[] = [];
  for (const from of ["127.0.0.1", "127.0.0.2", "127.0.0.3"]) {
    const socket = dial(from);
    socket.write(request);
    await once(socket, "data");
    idle.push(socket);
  }
  const closed = Promise.all(idle.map((socket) => once(socket, "close")));
  await heard(dial("127.0.0.4"));
  expect(dropped).toBe(1);
  await closed;
  const socket = dial();
  socket.write(request);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
});

it("gives an address 512 of 1,024 connections, the next of it the place of its idle one, and others the rest", async () => {
  const dial = await open();
  const request = `${head}Content-Length: 0\r\n\r\n`;
  const [idle, ...slow] = Array.from({ length: 512 }, () => dial());
  await Promise.all([idle!, ...slow].map((socket) => once(socket, "connect")));
  idle!.write(request);
  await once(idle!, "data");
  const closed = once(idle!, "close");
  const next = dial();
  next.write(head);
  await closed;
  expect([next.destroyed, dropped]).toEqual([false, 0]);
  await once(dial(), "close");
  expect(dropped).toBe(1);
  const other = dial("127.0.0.2");
  other.write(request);
  await once(other, "data");
  expect([dropped, server?.maxConnections]).toEqual([1, 1_024]);
});

it("ends the connection of a body that waits in more than 1,040 pieces", async () => {
  const unread = Promise.withResolvers<IncomingMessage>();
  const dial = await open({ ...quick, headersMs: 60_000, requestMs: 60_000 }, (request) => unread.resolve(request));
  const socket = dial();
  const answer = heard(socket);
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(1_040)}`);
  const request = await unread.promise;
  await expect.poll(() => request.readableLength).toBe(1_040);
  expect(request.destroyed).toBe(false);
  socket.write("1\r\nx\r\n");
  expect(await answer).toBe("");
});

it("parses 4,096 bytes at once", () => {
  server = createIngressServer({ listener: echo });
  expect(firstPart(server, "connection")).toBe(4_096);
});
