import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { promisify } from "node:util";

import { afterEach, expect, it } from "vitest";

import { limitConnections, timeouts } from "./server-limits.ts";

let server: Server | undefined;
let dropped = 0;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
  dropped = 0;
});

async function listen(connections: number, times = { headersMs: 60_000, requestMs: 60_000 }): Promise<Server> {
  server = createServer({ ...timeouts({ ...times, checkEveryMs: 20 }), keepAliveTimeout: 3_600_000 }, (_, to) =>
    to.end(),
  );
  limitConnections(server, connections, () => void (dropped += 1));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

async function dial(to: Server, from = "127.0.0.1"): Promise<Socket> {
  const { port } = to.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", localAddress: from }).on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

function connectionsOf(to: Server): Promise<number> {
  return promisify((done: (error: Error | null, count: number) => void) => to.getConnections(done))();
}

/** Whether the server serves a new connection from there. */
async function isServed(to: Server, from: string): Promise<boolean> {
  const socket = await dial(to, from);
  socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const heard = await Promise.race([once(socket, "data"), once(socket, "close").then(() => undefined)]);
  return heard !== undefined;
}

it("gives an address half of the places, and a third one still finds some", async () => {
  const to = await listen(8);
  for (let at = 0; at < 4; at += 1) await dial(to);
  expect([await isServed(to, "127.0.0.1"), dropped]).toEqual([false, 1]);
  expect(await isServed(to, "127.0.0.2")).toBe(true);
  expect(await isServed(to, "127.0.0.3")).toBe(true);
});

it("gives an address that has its share the place of its own idle connection, and no more", async () => {
  const to = await listen(8);
  for (let at = 0; at < 3; at += 1) await dial(to);
  expect(await isServed(to, "127.0.0.2")).toBe(true);
  expect(await isServed(to, "127.0.0.1")).toBe(true);
  const idle = sockets.at(-1)!;
  const closed = once(idle, "close");
  await dial(to);
  await closed;
  expect([await isServed(to, "127.0.0.1"), dropped]).toEqual([false, 1]);
  expect([await isServed(to, "127.0.0.2"), dropped]).toEqual([true, 1]);
  expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(2);
});

it("has the place back when the connection that got it ends", async () => {
  const to = await listen(4);
  await dial(to);
  expect(await isServed(to, "127.0.0.1")).toBe(true);
  const heir = await dial(to);
  await once(sockets[1]!, "close");
  heir.destroy();
  await expect.poll(() => connectionsOf(to)).toBe(1);
  expect([await isServed(to, "127.0.0.1"), dropped]).toEqual([true, 0]);
});

it("has idle connections make room when all places are taken", async () => {
  const to = await listen(2);
  for (const from of ["127.0.0.1", "127.0.0.2"]) expect(await isServed(to, from)).toBe(true);
  const closed = Promise.all(sockets.map((socket) => once(socket, "close")));
  expect([await isServed(to, "127.0.0.3"), dropped]).toEqual([false, 1]);
  await closed;
  expect(await isServed(to, "127.0.0.3")).toBe(true);
});

it.each([
  { what: "headers", sent: "GET / HTTP/1.1\r\nHost: h\r\n", times: { headersMs: 100, requestMs: 60_000 } },
  {
    what: "a body",
    sent: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n1",
    times: { headersMs: 100, requestMs: 100 },
  },
  { what: "nothing", sent: "", times: { headersMs: 100, requestMs: 60_000 } },
])("ends a connection on which $what does not come in time", async ({ sent, times }) => {
  const socket = await dial(await listen(8, times));
  socket.write(sent);
  socket.resume();
  await once(socket, "close");
});
