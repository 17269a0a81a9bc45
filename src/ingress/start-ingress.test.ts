import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { afterEach, expect, it } from "vitest";

import type { Accepted } from "../domain/deliveries/receipt.ts";
import type { WebhookAutomation, WebhookEndpoint } from "../domain/deliveries/delivery.ts";
import { compileFilters } from "../domain/filters/compile.ts";
import { hashApiKey } from "../domain/keys.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import { systemRandom } from "../lib/random.ts";
import { startIngress, type Ingress } from "./start-ingress.ts";

const automation: WebhookAutomation = {
  type: "Webhook",
  namespace: "a",
  name: "b",
  uid: "u",
  generation: 1,
  version: "1",
  pausedBecause: undefined,
  filters: compileFilters([]),
  idempotencyKey: () => undefined,
  requestRateLimit: { perSecond: 10, burst: 10 },
  rateLimit: { perSecond: 10, burst: 10 },
  maxUnfinishedRuns: 10,
  activeRuns: 0,
  lastRunName: undefined,
  readMs: 0,
};
const endpoint: WebhookEndpoint = {
  type: "Webhook",
  namespace: "a",
  name: "b",
  uid: "u",
  authentication: { type: "Bearer" },
  keyHash: hashApiKey("k"),
  signingSecrets: [],
  automation,
};
const delivery =
  "POST /webhooks/automation/a.b HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer k\r\n" +
  "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

let clock: FakeClock;
let ingress: Ingress;
/** Those whose Run is not stored yet. */
let waiting: ((taken: Accepted) => void)[];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function start(): Promise<void> {
  clock = new FakeClock();
  waiting = [];
  ingress = await startIngress({
    port: 0,
    clock,
    random: systemRandom,
    automations: {
      read: () => Promise.resolve(endpoint),
      notReadyBecause: () => undefined,
      wantedEvents: () => new Set(),
      wantedChannels: () => new Set(),
    },
    runs: { create: () => new Promise((resolve) => waiting.push(resolve)) },
    ledger: { note: () => undefined, countRefusal: () => undefined },
    observer: { answered: () => undefined },
  });
}

/** Opens a connection that the sender would keep; `heard` is all that came until the ingress closed it. */
async function open(): Promise<{ socket: Socket; heard: Promise<string> }> {
  const socket = connect(ingress.port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  const heard = once(socket, "close").then(() => text);
  await once(socket, "connect");
  return { socket, heard };
}

async function untilWaiting(count: number): Promise<void> {
  while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
}

const answerAll = (): void => {
  for (const resolve of waiting.splice(0)) resolve({ verdict: "triggered", message: "" });
};

it("answers what is under way when it closes, and no connection outlives its answer", async () => {
  await start();
  const senders = [await open(), await open(), await open()];
  for (const { socket } of senders) socket.write(delivery);
  await untilWaiting(senders.length);
  const closed = ingress.close();
  expect(ingress.notReadyBecause()).toBe("deliveries are being drained");
  answerAll();
  // Time stands still, so that nothing but the answers ends the connections.
  await closed;
  for (const { heard } of senders) expect(await heard).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\nConnection: close\r\n/);
});

it("answers a request of which only the head had come when it closes", async () => {
  await start();
  const { socket, heard } = await open();
  socket.write(delivery.replace("\r\n\r\n{}", "\r\nExpect: 100-continue\r\n\r\n"));
  await once(socket, "data");
  const closed = ingress.close();
  socket.write("{}");
  await untilWaiting(1);
  answerAll();
  await closed;
  expect(await heard).toMatch(/\r\n\r\nHTTP\/1.1 200 OK\r\n[^]*\r\nConnection: close\r\n/);
});

it("closes idle connections at once, and after 10 s those of requests that have no end", async () => {
  await start();
  const [idle, endless] = [await open(), await open()];
  idle.socket.write(delivery);
  await untilWaiting(1);
  answerAll();
  await once(idle.socket, "data");
  endless.socket.write(delivery);
  await untilWaiting(1);
  const closed = ingress.close();
  expect(await idle.heard).toMatch(/\r\nConnection: keep-alive\r\n/);
  clock.advance(9_999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(endless.socket.closed).toBe(false);
  clock.advance(1);
  await closed;
  expect(await endless.heard).toBe("");
});
