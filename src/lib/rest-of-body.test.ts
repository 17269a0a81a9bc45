import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

import { expect, it } from "vitest";

import { FakeClock } from "./fake-clock.ts";
import { answerBeforeBody, mostDiscarded } from "./rest-of-body.ts";

/** A request that was answered while its body was arriving. */
function answered() {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "POST", headers: { "transfer-encoding": "chunked" } });
  const response = new ServerResponse(request);
  const clock = new FakeClock();
  answerBeforeBody({ request, response, clock }, "no", () => response.writeHead(403));
  return { request, response, clock };
}

it.each([
  { name: "1,024 pieces", pieces: 1_024, bytes: 1, ends: false },
  { name: "1,025 pieces", pieces: 1_025, bytes: 1, ends: true },
  { name: "1 MiB", pieces: 16, bytes: 65_536, ends: false },
  { name: "16 bytes more than 1 MiB", pieces: 16, bytes: 65_537, ends: true },
])("discards $name of a body: the answer ends before the body does is $ends", ({ pieces, bytes, ends }) => {
  const { request, response } = answered();
  for (let piece = 0; piece < pieces; piece += 1) request.emit("data", Buffer.alloc(bytes));
  expect([response.writableEnded, response.shouldKeepAlive]).toEqual([ends, false]);
});

it("waits a second for the rest", () => {
  const { response, clock } = answered();
  clock.advance(999);
  expect(response.writableEnded).toBe(false);
  clock.advance(1);
  expect(response.writableEnded).toBe(true);
});

it("ends with the body", async () => {
  const { request, response } = answered();
  request.push(null);
  await once(request, "end");
  expect(response.writableEnded).toBe(true);
});

it.each([
  { complete: true, headers: { "content-length": "5" }, want: 0 },
  { complete: false, headers: {}, want: 0 },
  { complete: false, headers: { "content-length": "0" }, want: 0 },
  { complete: false, headers: { "content-length": "1" }, want: 1 },
  { complete: false, headers: { "content-length": "1048576" }, want: 1_048_576 },
  { complete: false, headers: { "content-length": "1048577" }, want: 1_048_576 },
  { complete: false, headers: { "transfer-encoding": "chunked" }, want: 1_048_576 },
])(
  "of a request with $headers that is complete: $complete, $want bytes are discarded at most",
  ({ want, ...request }) => {
    expect(mostDiscarded(request as unknown as IncomingMessage)).toBe(want);
  },
);
