import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FakeClock } from "../../lib/fake-clock.ts";
import { connectLocally, localTries } from "./connect-locally.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
/** The second one stands for ::1 where a machine has none. */
const [first, second] = ["127.0.0.1", hasIpv6 ? "::1" : "127.0.0.2"];
const hosts = hasIpv6 ? undefined : [first, second];

let clock: FakeClock;
let servers: Server[];

beforeEach(() => {
  clock = new FakeClock();
  servers = [];
});
afterEach(() => {
  for (const server of servers) server.close();
});

async function listen(host: string, port = 0): Promise<number> {
  const server = createServer((socket) => socket.end()).listen(port, host);
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function closedPort(): Promise<number> {
  const port = await listen(first);
  servers.pop()?.close();
  return port;
}

it.each([first, second])("a server at %s alone is reached at once", async (host) => {
  const socket = await connectLocally(await listen(host), clock, hosts);
  expect(socket?.remoteAddress).toBe(host);
  expect(clock.timers).toBe(0);
  socket?.destroy();
});

/** Until it waits for the next try; the other timer is that of all tries. */
async function failed(): Promise<void> {
  await expect.poll(() => clock.timers).toBe(2);
}

it("a server that comes up a moment later is reached", async () => {
  const port = await closedPort();
  const connecting = connectLocally(port, clock, hosts);
  await failed();
  await listen(second, port);
  clock.advance(localTries.apartMs);
  const socket = await connecting;
  expect(socket?.remoteAddress).toBe(second);
  socket?.destroy();
});

it("nothing is reached where nothing listens, after the last try and not before", async () => {
  let isOver = false;
  const connecting = connectLocally(await closedPort(), clock, hosts).finally(() => (isOver = true));
  for (let tried = 1; tried < localTries.most; tried += 1) {
    await failed();
    expect(isOver).toBe(false);
    clock.advance(localTries.apartMs);
  }
  expect(await connecting).toBeUndefined();
  expect(clock.timers).toBe(0);
});

it("nothing is reached once its time is up", async () => {
  const connecting = connectLocally(await closedPort(), clock, hosts);
  await failed();
  clock.advance(5_000);
  expect(await connecting).toBeUndefined();
});
