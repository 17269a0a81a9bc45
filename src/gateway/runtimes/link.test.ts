import { EventEmitter } from "node:events";

import { Registry } from "prom-client";
import { beforeEach, expect, it } from "vitest";
import type { WebSocket } from "ws";

import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import { closeCodes, protocolLimits } from "../../api/runtime/limits.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { defineGatewayMetrics } from "../metrics/gateway-metrics.ts";
import { priceOf, structurePerFrame } from "./frame-price.ts";
import { Link } from "./link.ts";
import { mostUnread } from "./unread-frames.ts";

/** The gateway's end of a WebSocket. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly closes: number[] = [];
  terminated = 0;
  /** Frames that the peer has not taken; none while it reads. */
  readonly unread: (() => void)[] = [];
  isRead = true;
  readonly answers: string[] = [];
  send = (_text: string, sent: () => void): void => this.#write(sent);
  pong = (data: Buffer, _mask: boolean, sent: () => void): void => {
    this.answers.push(String(data));
    this.#write(sent);
  };
  close = (code: number): void => {
    this.readyState = 2;
    this.closes.push(code);
  };
  terminate = (): void => void (this.terminated += 1);
  isPaused = false;
  pause = (): void => void (this.isPaused = true);
  #write(sent: () => void): void {
    if (this.isRead) sent();
    else this.unread.push(sent);
  }
}

let clock: FakeClock;
let socket: FakeSocket;
let link: Link;
let registry: Registry;
beforeEach(() => {
  [clock, socket, registry] = [new FakeClock(), new FakeSocket(), new Registry()];
  link = new Link(
    socket as unknown as WebSocket,
    { clock, metrics: defineGatewayMetrics(registry, () => 0), frames: new FrameBudget(protocolLimits.frames, 0) },
    () => undefined,
  );
  for (const timer of ["hello", "ping"]) link.cancel(timer);
  // The hello, which counts nothing.
  socket.emit("message", heartbeat, false);
});

const refusals = async (reason: string): Promise<number | undefined> => {
  const { values } = await registry.getSingleMetric("runwright_gateway_sandbox_refusals_total")!.get();
  return values.find(({ labels }) => labels.reason === reason)?.value;
};

const inTurn = (frames: number, act: () => void): void => {
  for (let sent = 0; sent < frames; sent += 1) {
    clock.advance(1_000 / perSecond);
    act();
  }
};

const heartbeat = Buffer.from('{"type":"heartbeat"}');
const { burst, perSecond } = protocolLimits.frames;

it.each([
  { kind: "ping", frame: Buffer.alloc(0) },
  { kind: "pong", frame: Buffer.alloc(0) },
  { kind: "message", frame: heartbeat },
])("takes 512 frames of kind $kind at once and 50 a second, and closes at one more", async ({ kind, frame }) => {
  for (let sent = 0; sent < burst; sent += 1) socket.emit(kind, frame, false);
  clock.advance(1_000);
  for (let sent = 0; sent < perSecond; sent += 1) socket.emit(kind, frame, false);
  expect(socket.closes).toEqual([]);
  socket.emit(kind, frame, false);
  socket.emit(kind, frame, false);
  expect(socket.closes).toEqual([closeCodes.flooding]);
  expect(await refusals("Flooding")).toBe(1);
});

it("counts messages and pings together", () => {
  for (let sent = 0; sent < burst; sent += 1) socket.emit(sent % 2 ? "ping" : "message", heartbeat, false);
  expect(socket.closes).toEqual([]);
  socket.emit("ping");
  expect(socket.closes).toEqual([closeCodes.flooding]);
});

it.each([
  { what: "has sent too much", act: () => Array.from({ length: burst + 1 }, () => socket.emit("ping")) },
  { what: "has sent what is no message", act: () => socket.emit("message", Buffer.from("{"), false) },
])("reads no more of one that $what, and waits a second for it to go", ({ act }) => {
  expect(socket.isPaused).toBe(false);
  act();
  expect(socket.isPaused).toBe(true);
  clock.advance(999);
  expect(socket.terminated).toBe(0);
  clock.advance(1);
  expect(socket.terminated).toBe(1);
});

it.each([
  { of: "short ones", kind: "message", bytes: 16_384, most: 256 },
  { of: "pings", kind: "ping", bytes: 0, most: 256 },
  { of: "the longest ones", kind: "message", bytes: 65_536, most: 64 },
])("reads $most frames after the end where they are $of, and waits ten seconds", ({ kind, bytes, most }) => {
  link.close("replaced");
  for (let sent = 0; sent < most; sent += 1) socket.emit(kind, Buffer.alloc(bytes), false);
  expect(socket.isPaused).toBe(false);
  socket.emit(kind, Buffer.alloc(bytes), false);
  expect(socket.isPaused).toBe(true);
  clock.advance(9_999);
  expect(socket.terminated).toBe(0);
  clock.advance(1);
  expect(socket.terminated).toBe(1);
});

it("ends the connection a second after a frame that ws refuses", () => {
  socket.emit("error", new Error("no"));
  clock.advance(999);
  expect(socket.terminated).toBe(0);
  clock.advance(1);
  expect(socket.terminated).toBe(1);
});

it.each([
  { code: "WS_ERR_TOO_MANY_BUFFERED_PARTS", reason: "Flooding" },
  { code: "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH", reason: "TooLarge" },
  { code: "WS_ERR_INVALID_UTF8", reason: "Malformed" },
])("counts $code as $reason", async ({ code, reason }) => {
  socket.emit("error", Object.assign(new Error("no"), { code }));
  expect(await refusals(reason)).toBe(1);
});

it("answers pings with their own words", () => {
  for (const data of ["a", "b"]) socket.emit("ping", Buffer.from(data));
  expect(socket.answers).toEqual(["a", "b"]);
});

it.each([
  { of: "answers to pings", act: () => void socket.emit("ping", Buffer.alloc(0)) },
  { of: "messages", act: () => link.send({ type: "ack", seq: 1 }) },
])("keeps 1,024 $of for a peer that does not read, and closes at one more", async ({ act }) => {
  inTurn(2_000, act);
  expect(socket.closes).toEqual([]);
  socket.isRead = false;
  inTurn(mostUnread, act);
  // What was taken makes room.
  socket.unread.shift()?.();
  inTurn(1, act);
  expect(socket.closes).toEqual([]);
  inTurn(1, act);
  expect(socket.closes).toEqual([closeCodes.flooding]);
  expect(await refusals("Flooding")).toBe(1);
  inTurn(2, act);
  expect(socket.unread.length).toBeLessThanOrEqual(mostUnread + 1);
});

it("counts the hello of a connection as a connection, and no frame", () => {
  const frames = new FrameBudget(protocolLimits.frames, 0);
  frames.take(0, burst);
  const again = new FakeSocket();
  const deps = { clock, metrics: defineGatewayMetrics(new Registry(), () => 0), frames };
  const read: unknown[] = [];
  new Link(again as unknown as WebSocket, deps, (message) => read.push(message));
  again.emit("message", heartbeat, false);
  expect([again.closes, read.length]).toEqual([[], 1]);
  again.emit("message", heartbeat, false);
  expect([again.closes, read.length]).toEqual([[closeCodes.flooding], 1]);
});

it.each([
  { of: "fields that nobody knows", field: ',"a":0' },
  { of: "white space", field: "      " },
])("reads no more of messages full of $of than as many plain ones cost", ({ field }) => {
  const text = `{"type":"heartbeat"${field.repeat(10_000)}}`;
  const most = Math.floor(burst / priceOf(text));
  expect(most).toBeLessThan(16);
  for (let sent = 0; sent < most; sent += 1) socket.emit("message", Buffer.from(text), false);
  expect(socket.closes).toEqual([]);
  socket.emit("message", Buffer.from(text), false);
  expect(socket.closes).toEqual([closeCodes.flooding]);
});

it("does not parse a hello that costs more than a hello may, where nothing is left", () => {
  const frames = new FrameBudget(protocolLimits.frames, 0);
  frames.take(0, burst);
  const deps = { clock, metrics: defineGatewayMetrics(new Registry(), () => 0), frames };
  const hello = (structure: number): FakeSocket => {
    const again = new FakeSocket();
    new Link(again as unknown as WebSocket, deps, () => undefined);
    again.emit("message", Buffer.from(`{${" ".repeat(structure - 7)}"type":"heartbeat"}`), false);
    return again;
  };
  expect(hello(2 * structurePerFrame).closes).toEqual([]);
  expect(hello(2 * structurePerFrame + 1).closes).toEqual([closeCodes.flooding]);
});
