import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";

import { expect, it } from "vitest";

import { forwardLocally, headersOf } from "./local-forward.ts";

it("ends the connection of a refused WebSocket whose caller does not", async () => {
  const target = {
    prefix: "/tunnel",
    connect: () => Promise.reject(new Error("never asked for")),
    token: () => Promise.reject(new Error("never asked for")),
    note: () => undefined,
  };
  const server = await forwardLocally(0, target);
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const caller = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  try {
    caller.write("GET / HTTP/1.1\r\nHost: elsewhere\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    const [near] = await accepted;
    const closed = once(near, "close");
    const [answer] = (await once(caller, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 403 /);
    await closed;
  } finally {
    caller.destroy();
    server.close();
  }
});

it("passes cookies of a sandbox's server on, but for those that have the name of the page's", () => {
  const sent = ["set-cookie", "theme=dark; Path=/p/", "Set-Cookie", "runwright-page-8090=x; Path=/p/"];
  expect(headersOf(sent, "/p")).toEqual(["set-cookie", "theme=dark; Path=/"]);
});
