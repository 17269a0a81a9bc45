import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { protocolTimes } from "../../api/runtime/limits.ts";
import type { GatewayMessage } from "../../api/runtime/messages.ts";
import { mostRefused, type RefusedFromAgent } from "../../api/runtime/refused-from-agent.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { GatewaySocket } from "./gateway-socket.ts";

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
afterAll(() => server.close());

async function opened(refused: () => RefusedFromAgent | undefined) {
  if (!server.address()) await once(server, "listening");
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new FakeClock();
  const connected = once(server, "connection") as Promise<[WebSocket]>;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const handlers = { onOpen: () => resolve(undefined), refused, onMessage: () => undefined };
  const socket = new GatewaySocket({ url, authorization: "Bearer t", ca: "", clock }, handlers);
  const [peer] = await connected;
  await promise;
  const beats: unknown[] = [];
  peer.on("message", (data: Buffer) => beats.push(JSON.parse(data.toString("utf8"))));
  return { socket, clock, beats, peer };
}

it("reports refusals a second later, all of that second at once", async () => {
  const { socket, clock, beats, peer } = await opened(() => ({ malformed: 2 }));
  socket.reportRefusals();
  clock.advance(999);
  socket.reportRefusals();
  peer.ping();
  await once(peer, "pong");
  expect(beats).toEqual([]);
  clock.advance(1);
  socket.close();
  await socket.ended;
  expect(beats).toEqual([{ type: "heartbeat", refused: { malformed: 2 } }]);
});

it("reports refusals before it closes", async () => {
  const { socket, beats } = await opened(() => ({ archive: 1 }));
  socket.reportRefusals();
  socket.close();
  await socket.ended;
  expect(beats).toEqual([{ type: "heartbeat", refused: { archive: 1 } }]);
});

it("ignores messages and fields that it does not know, and counts them with the next heartbeat", async () => {
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
  peer.send('{"type":"ack","seq":1,"at":"noon"}');
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
    { type: "heartbeat", ignored: mostRefused, ignoredFields: 1 },
    { type: "heartbeat" },
  ]);
});
