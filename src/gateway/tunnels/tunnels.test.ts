import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";

import { beforeEach, expect, it } from "vitest";

import { aSession } from "../../../test/support/builders.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { parseTunnelPath } from "./tunnel-path.ts";
import { type TunnelDeps, Tunnels } from "./tunnels.ts";

const url = "/sessions/demo.fix/tunnels/3000/";

let clock: FakeClock;
/** What was opened for callers. */
let opened: string[];
/** Ends while the caller is authorized. */
let near: PassThrough;
let tunnels: Tunnels;

beforeEach(() => {
  [clock, opened, near] = [new FakeClock(), [], new PassThrough()];
  const session = aSession({
    metadata: { namespace: "demo", name: "fix", uid: "u" },
    status: { sandbox: { attempt: 1, tunnels: [{ port: 3000 }] } } as never,
  });
  const deps = {
    clock,
    budgetMs: 1_000,
    callers: {
      identify: () => Promise.resolve({}),
      async authorize() {
        near.destroy();
        await new Promise((resolve) => near.once("close", resolve));
      },
    },
    sessions: { byName: () => session },
    streams: {
      open() {
        opened.push("stream");
        return Promise.resolve(new PassThrough());
      },
    },
    toReplica() {
      opened.push("replica");
      return Promise.resolve(undefined);
    },
    requestHeaders: [],
  };
  tunnels = new Tunnels({
    ...deps,
    runtime: () => (isHere ? { sessionUid: "u" } : undefined),
  } as unknown as TunnelDeps);
});

let isHere = true;

it.each([true, false])("opens nothing for a caller who has gone meanwhile; its runtime is here: %s", async (here) => {
  isHere = here;
  const from = { url, headers: {}, rawHeaders: [] } as unknown as IncomingMessage;
  const asked = tunnels.request(parseTunnelPath(url)!, from, near as unknown as ServerResponse);
  await expect(asked).rejects.toMatchObject({ code: "InvalidRequest" });
  expect([opened, clock.timers]).toEqual([[], 0]);
});

it("ends the connection of a refused WebSocket whose caller does not", async () => {
  const refused = Promise.withResolvers<Socket>();
  const server = createServer().on("upgrade", (from: IncomingMessage, socket: Socket, head: Buffer) => {
    refused.resolve(socket);
    void tunnels.upgrade(from, socket, head);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const caller = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  try {
    caller.write("GET /nowhere HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    const [answer] = (await once(caller, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 404 /);
    const socket = await refused.promise;
    if (!socket.closed) await once(socket, "close");
  } finally {
    caller.destroy();
    server.close();
  }
});
