import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";

import { expect, it } from "vitest";

import { firstPart } from "../../../test/support/first-part.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { createTlsServer } from "./tls-server.ts";

it("ends the connection of a body that waits in more than 1,040 pieces", async () => {
  const unread = Promise.withResolvers<IncomingMessage>();
  const tls = createTlsServer({ minVersion: "TLSv1.3", clock: new FakeClock() }, (request) => unread.resolve(request));
  // What comes after a handshake, without one.
  const plain = createServer((socket) => tls.server.emit("secureConnection", socket));
  await once(plain.listen(0, "127.0.0.1"), "listening");
  const socket = connect((plain.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  try {
    const closed = once(socket.resume(), "close");
    const piece = "1\r\nx\r\n";
    socket.write(`POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n${piece.repeat(1_040)}`);
    const request = await unread.promise;
    await expect.poll(() => request.readableLength).toBe(1_040);
    expect(request.destroyed).toBe(false);
    socket.write(piece);
    await closed;
    expect(request.destroyed).toBe(true);
  } finally {
    socket.destroy();
    plain.close();
  }
});

it("parses 4,096 bytes at once", () => {
  const tls = createTlsServer({ minVersion: "TLSv1.3", clock: new FakeClock() }, () => undefined);
  expect(firstPart(tls.server, "secureConnection")).toBe(4_096);
});
