import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { FakeClock } from "../../lib/fake-clock.ts";
import { GatewayClient } from "./gateway-client.ts";

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
const directory = await mkdtemp(join(tmpdir(), "runwright-client-"));
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

it("numbers its connections, and says for how long it has been running", async () => {
  if (!server.address()) await once(server, "listening");
  const [tokenFile, caFile] = [join(directory, "token"), join(directory, "ca.crt")];
  await Promise.all([writeFile(tokenFile, "t"), writeFile(caFile, "")]);
  const clock = new FakeClock();
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const log = { info: () => undefined, warn: () => undefined };
  const client = new GatewayClient({ log, clock, random: { fraction: () => 0.5 }, url, tokenFile, caFile });
  const hello = { needsBundle: true, isReady: false, openPrompts: [] };
  const stop = new AbortController();
  clock.advance(1_500);
  const heard: object[] = [];
  server.on("connection", (peer: WebSocket) => {
    peer.on("message", (data: Buffer) => {
      const { connection, runningMs } = JSON.parse(data.toString("utf8")) as Record<string, unknown>;
      heard.push({ connection, runningMs });
      if (heard.length === 2) stop.abort();
      else peer.close();
    });
  });
  const ended = client.run({ hello: () => hello, refused: () => undefined, onMessage: () => undefined }, stop.signal);
  while (heard.length < 2) {
    await setImmediate();
    if (heard.length === 1 && server.clients.size === 0) clock.advance(100);
  }
  await ended;
  expect(clock.monotonicMs()).toBeGreaterThan(1_500);
  expect(heard).toEqual([
    { connection: 1, runningMs: 1_500 },
    { connection: 2, runningMs: clock.monotonicMs() },
  ]);
});
