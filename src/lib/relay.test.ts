import { once } from "node:events";
import { createServer, get, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

import { afterEach, expect, it } from "vitest";

import { relayRequest } from "./relay.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
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
