import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

import express from "express";
import { afterEach, beforeEach, expect, it } from "vitest";

import { BoundedRequest } from "./bounded-request.ts";

let server: Server;
let socket: Socket;
let arrived: PromiseWithResolvers<[IncomingMessage, ServerResponse]>;

async function listen(listener: RequestListener): Promise<void> {
  server = createServer({ IncomingMessage: BoundedRequest }, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n");
}

beforeEach(() => {
  arrived = Promise.withResolvers();
});
afterEach(() => {
  socket.destroy();
  server.close();
});

const accept: RequestListener = (request, response) => arrived.resolve([request, response]);
/** Pieces of one byte, all of which arrive at once. */
const pieces = (count: number): string => "1\r\nx\r\n".repeat(count);

it.each([
  ["1,039 pieces", 1_039],
  ["1,040 pieces", 1_040],
])("keeps %s until they are read", async (_, count) => {
  await listen(accept);
  socket.write(`${pieces(count)}0\r\n\r\n`);
  const [request, response] = await arrived.promise;
  await expect.poll(() => request.readableLength).toBe(count);
  response.end(await text(request));
  expect(await text(socket)).toContain("x".repeat(100));
});

it.each([
  ["Node", accept],
  ["Express", express().use(accept)],
])("ends the connection of a request to %s when 1,041 pieces wait", async (_, listener) => {
  await listen(listener);
  const closed = once(socket, "close");
  socket.on("error", () => undefined).resume();
  socket.write(pieces(1_041));
  const [request] = await arrived.promise;
  await closed;
  expect(request.destroyed).toBe(true);
});

it("takes any number of pieces that are read as they come", async () => {
  await listen((request, response) => void text(request).then((body) => response.end(String(body.length))));
  socket.write(`${pieces(10_000)}0\r\n\r\n`);
  expect(await text(socket)).toContain("10000");
});

it("forgets pieces that were read", async () => {
  await listen(accept);
  const [request, response] = await arrived.promise;
  let read = 0;
  request.on("data", (piece: Buffer) => (read += piece.length));
  for (const sofar of [900, 1_800, 2_700]) {
    request.pause();
    socket.write(pieces(900));
    await expect.poll(() => request.readableLength).toBe(900);
    request.resume();
    await expect.poll(() => read).toBe(sofar);
  }
  response.end("all");
  expect(await text(socket)).toContain("all");
});
