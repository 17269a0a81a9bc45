import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

import { Counter, Gauge, Registry } from "prom-client";
import { afterEach, expect, it } from "vitest";

import { firstPart } from "../../test/support/first-part.ts";
import { startObservabilityServer, type ObservabilityServer } from "./observability-server.ts";

let server: ObservabilityServer | undefined;
let socket: Socket | undefined;
afterEach(async () => {
  socket?.destroy();
  await server?.close();
});

/** Posts pieces of one byte, and leaves the body without an end. */
function post(path: string, pieces: number): Socket {
  socket = connect(server!.port, "127.0.0.1").on("error", () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(pieces)}`);
  return socket;
}

async function get(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${String(server!.port)}${path}`);
  return { status: response.status, text: await response.text() };
}

it("tells liveness, readiness with its reason, and metrics", async () => {
  const registry = new Registry();
  new Counter({ name: "runwright_things_total", help: "Things.", registers: [registry] }).inc();
  let problem: string | undefined = "caches are not synced";
  server = await startObservabilityServer({ port: 0, registry, notReadyBecause: () => problem });

  expect(await get("/livez")).toEqual({ status: 200, text: "ok\n" });
  expect(await get("/readyz")).toEqual({ status: 503, text: "caches are not synced\n" });
  problem = undefined;
  expect(await get("/readyz")).toMatchObject({ status: 200 });
  expect((await get("/metrics")).text).toContain("runwright_things_total 1");
  expect(await get("/other")).toMatchObject({ status: 404 });
});

it("answers a request with a body and closes its connection", async () => {
  server = await startObservabilityServer({ port: 0, registry: new Registry(), notReadyBecause: () => undefined });
  expect(await text(post("/livez", 10))).toMatch(/^HTTP\/1.1 200 /);
});

it("ends the connection of a body that waits in more than 1,040 pieces", async () => {
  const registry = new Registry();
  const [asked, unanswered] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const collect = (): Promise<undefined> => {
    asked.resolve(undefined);
    return unanswered.promise;
  };
  new Gauge({ name: "runwright_things", help: "Things.", registers: [registry], collect });
  server = await startObservabilityServer({ port: 0, registry, notReadyBecause: () => undefined });
  const sender = post("/metrics", 1_040);
  await asked.promise;
  const closed = once(sender.resume(), "close");
  sender.write("1\r\nx\r\n");
  await closed;
});

it("parses 4,096 bytes at once", async () => {
  server = await startObservabilityServer({ port: 0, registry: new Registry(), notReadyBecause: () => undefined });
  let listener: Server | undefined;
  const remember = (started: unknown): void => void (listener = (started as { server: Server }).server);
  subscribe("http.server.request.start", remember);
  await get("/livez");
  unsubscribe("http.server.request.start", remember);
  expect(firstPart(listener!, "connection")).toBe(4_096);
});

it("gives an address 64 connections, and leaves places to the next one", async () => {
  server = await startObservabilityServer({ port: 0, registry: new Registry(), notReadyBecause: () => undefined });
  const dial = (localAddress: string): Socket =>
    connect({ port: server!.port, host: "127.0.0.1", localAddress }).on("error", () => undefined);
  const ask = (from: Socket): Promise<string> => {
    from.write("GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    return text(from);
  };
  const idle = Array.from({ length: 63 }, () => dial("127.0.0.1"));
  try {
    await Promise.all(idle.map((opened) => once(opened, "connect")));
    const last = dial("127.0.0.1");
    const beyond = dial("127.0.0.1");
    await once(beyond.resume(), "close");
    expect(await ask(last)).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask(dial("127.0.0.2"))).toMatch(/^HTTP\/1.1 200 /);
  } finally {
    for (const opened of idle) opened.destroy();
  }
});
