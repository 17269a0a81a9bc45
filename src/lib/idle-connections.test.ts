import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

import { afterEach, expect, it } from "vitest";

import { IdleConnections } from "./idle-connections.ts";

const request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
const near = "127.0.0.1";

let server: Server;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function listen(listener: RequestListener = (_, response) => response.end()): Promise<IdleConnections> {
  server = createServer({ keepAliveTimeout: 60_000 }, listener);
  const idle = new IdleConnections(server);
  await once(server.listen(0, near), "listening");
  return idle;
}

async function dial(localAddress = near): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: near, localAddress }).on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

/** A connection that has its answer, by its port. */
async function answered(localAddress = near): Promise<{ socket: Socket; port: number }> {
  const socket = await dial(localAddress);
  socket.write(request);
  await once(socket, "data");
  return { socket, port: socket.localPort! };
}

it("takes the one that is idle for longest, each once, and none of another address", async () => {
  const idle = await listen();
  const [first, second] = [await answered(), await answered()];
  first.socket.write(request);
  await once(first.socket, "data");
  expect(idle.take("127.0.0.2")).toBeUndefined();
  const taken = [idle.take(near), idle.take(near), idle.take(near)];
  expect(taken.map((socket) => socket?.remotePort)).toEqual([second.port, first.port, undefined]);
});

it("takes none without a request, and none that has closed", async () => {
  const idle = await listen();
  await dial();
  const closed = once(server, "connection") as Promise<[Socket]>;
  const { socket } = await answered();
  const [other] = await closed;
  socket.destroy();
  await once(other, "close");
  expect(idle.take(near)).toBeUndefined();
});

it("takes none whose next request has begun to come", async () => {
  const idle = await listen();
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const { socket } = await answered();
  const [other] = await accepted;
  const before = other.bytesRead;
  socket.write("GET / HTTP/1.1\r\n");
  await expect.poll(() => other.bytesRead).toBeGreaterThan(before);
  expect(idle.take(near)).toBeUndefined();
});

it("takes none with a second request at work", async () => {
  const responses: ServerResponse[] = [];
  const idle = await listen((_, response) => void responses.push(response));
  const socket = await dial();
  socket.write(request.repeat(2));
  await expect.poll(() => responses.length).toBe(2);
  const [first, second] = responses.map((response) => ({ response, closed: once(response, "close") }));
  first!.response.end();
  await first!.closed;
  expect(idle.take(near)).toBeUndefined();
  second!.response.end();
  await second!.closed;
  expect(idle.take(near)?.remotePort).toBe(socket.localPort);
});

it("takes none that ends with its answer", async () => {
  const idle = await listen((_, response) => {
    response.setHeader("connection", "close");
    response.end();
  });
  const socket = await dial();
  socket.write(request);
  socket.resume();
  await once(socket, "close");
  expect(idle.take(near)).toBeUndefined();
});
