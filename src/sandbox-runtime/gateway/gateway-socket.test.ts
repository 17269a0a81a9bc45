import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { protocolTimes } from "../../api/runtime/limits.ts";
import type { GatewayMessage } from "../../api/runtime/messages.ts";
import { mostRefused } from "../../api/runtime/refused-from-agent.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { GatewaySocket } from "./gateway-socket.ts";

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
afterAll(() => server.close());

it("ignores messages that it does not know, and counts them with the next heartbeat", async () => {
  if (!server.address()) await once(server, "listening");
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new FakeClock();
  const heard: GatewayMessage[] = [];
  const { promise: known, resolve } = Promise.withResolvers<unknown>();
  const connected = once(server, "connection") as Promise<[WebSocket]>;
  const opened = Promise.withResolvers<unknown>();
  const socket = new GatewaySocket(
    { url, authorization: "Bearer t", ca: "", clock },
    {
      onOpen: () => opened.resolve(undefined),
      refused: () => undefined,
      onMessage: (message) => resolve(heard.push(message)),
    },
  );
  const [peer] = await connected;
  await opened.promise;
  for (let sent = 0; sent < mostRefused; sent += 1) peer.send('{"type":"mood"}');
  peer.send("no JSON");
  peer.send('{"type":"ack","seq":1}');
  await known;
  expect(heard).toEqual([{ type: "ack", seq: 1 }]);

  const beats: string[] = [];
  peer.on("message", (data: Buffer) => beats.push(data.toString("utf8")));
  for (let passedMs = 0; passedMs < 2 * protocolTimes.heartbeatMs; passedMs += protocolTimes.heartbeatMs / 2) {
    clock.advance(protocolTimes.heartbeatMs / 2);
    peer.ping();
    await once(peer, "pong");
  }
  socket.close();
  await socket.ended;
  expect(beats.map((beat) => JSON.parse(beat) as unknown)).toEqual([
    { type: "heartbeat", ignored: mostRefused },
    { type: "heartbeat" },
  ]);
});
