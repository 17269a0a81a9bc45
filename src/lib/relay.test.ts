import { once } from "node:events";
import { createServer, get, type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from "node:net";

import { afterEach, expect, it } from "vitest";

import { relayRequest, relayUpgrade } from "./relay.ts";

const servers: (Server | TcpServer)[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

it("sends the head of an answer before there is any of its body", async () => {
  const far = await serve((_, answer) => {
    answer.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  });
  const relayed = Promise.withResolvers<number>();
  const near = await serve((from, to) => {
    const hop = {
      connection: connect(far, "127.0.0.1"),
      path: "/",
      headers: ["host", "far"],
      answerHeaders: () => ["content-type", "text/event-stream"],
    };
    relayRequest(from, to, hop).then(() => relayed.resolve(to.socket?.bytesWritten ?? 0), relayed.reject);
  });
  const request = get({ port: near, host: "127.0.0.1" });
  expect(await relayed.promise).toBeGreaterThan(0);
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  expect(answer.headers["content-type"]).toBe("text/event-stream");
  request.destroy();
});

/** A connection to a server that answers whatever comes with these lines. */
async function answeredBy(...lines: string[]): Promise<Socket> {
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined).once("data", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return connect((server.address() as AddressInfo).port, "127.0.0.1");
}

const throughTo = (connection: Socket) => ({
  connection,
  path: "/",
  headers: ["host", "far"],
  answerHeaders: (raw: readonly string[]) => [...raw],
});

const badAnswers: [string, string[]][] = [
  ["099", ["HTTP/1.1 099 Odd", "content-length: 0"]],
  ["000", ["HTTP/1.1 000 Odd", "content-length: 0"]],
  ["101 without an upgrade", ["HTTP/1.1 101 Switching Protocols"]],
];

it.each([
  ...badAnswers,
  ["101 of what nobody asked for", ["HTTP/1.1 101 Switching Protocols", "connection: upgrade", "upgrade: other"]],
])("a request that is answered with %s has no answer, and its connection ends", async (_name, lines) => {
  const connection = await answeredBy(...lines);
  const near = await serve((from, to) => {
    relayRequest(from, to, throughTo(connection)).catch(() => to.writeHead(502).end());
  });
  const [answer] = (await once(get({ port: near, host: "127.0.0.1" }), "response")) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(502);
  if (!connection.closed) await once(connection, "close");
});

it("passes on 200, the least status of an answer", async () => {
  const connection = await answeredBy("HTTP/1.1 200 OK", "content-length: 0");
  const near = await serve((from, to) => void relayRequest(from, to, throughTo(connection)));
  const [answer] = (await once(get({ port: near, host: "127.0.0.1" }), "response")) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(200);
});

/** A request for a WebSocket, as it arrived. */
async function arrivedUpgrade(): Promise<{ from: IncomingMessage; near: Socket; caller: Socket }> {
  const arrived = Promise.withResolvers<{ from: IncomingMessage; near: Socket }>();
  const port = await serve(() => undefined);
  servers.at(-1)!.on("upgrade", (from: IncomingMessage, near: Socket) => {
    near.on("error", () => undefined);
    arrived.resolve({ from, near });
  });
  const caller = connect(port, "127.0.0.1").on("error", () => undefined);
  sockets.push(caller);
  caller.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  return { ...(await arrived.promise), caller };
}

it.each(badAnswers)(
  "a WebSocket that is answered with %s has no answer, and its connection ends",
  async (_name, lines) => {
    const { from, near } = await arrivedUpgrade();
    const to = new ServerResponse(from);
    to.assignSocket(near);
    const connection = await answeredBy(...lines);
    await expect(relayUpgrade(from, { near, head: Buffer.alloc(0), to }, throughTo(connection))).rejects.toThrow();
    if (!connection.closed) await once(connection, "close");
  },
);

it("asks nothing for a caller of a WebSocket who has gone", async () => {
  const { from, near, caller } = await arrivedUpgrade();
  const to = new ServerResponse(from);
  to.assignSocket(near);
  caller.resetAndDestroy();
  await expect.poll(() => near.closed, { timeout: 20_000 }).toBe(true);
  const connection = await answeredBy("HTTP/1.1 101 Switching Protocols", "connection: upgrade", "upgrade: websocket");
  await expect(relayUpgrade(from, { near, head: Buffer.alloc(0), to }, throughTo(connection))).rejects.toThrow();
  if (!connection.closed) await once(connection, "close");
});
