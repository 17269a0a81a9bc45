import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

import { afterEach, beforeEach, expect, it } from "vitest";

import { type Dropped, limitAddresses } from "./address-cap.ts";
import { FairShares } from "./fair-shares.ts";

let server: Server;
/** What the server did with a connection. */
let served: Socket[];
let accepted: Socket[];
let dropped: Dropped[];
let slowed: string[];
let failed: string[];
let late: string[];
let proved: (socket: Socket) => void;
const sockets: Socket[] = [];

beforeEach(async () => {
  [served, accepted, dropped, slowed, failed, late] = [[], [], [], [], [], []];
  server = createServer((socket) => {
    served.push(socket);
    socket.resume().on("error", () => undefined);
  });
  const shares = new FairShares({ places: 16, perKey: 4 });
  const slowdown = {
    isSlowed: (address: string) => slowed.includes(address),
    failed: (address: string) => void failed.push(address),
  };
  const arrivals = { take: (address: string) => !late.includes(address) };
  proved = limitAddresses(server, { shares, arrivals, slowdown }, (why) => dropped.push(why));
  server.on("connection", (socket) => {
    if (!socket.destroyed) accepted.push(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

/** Opens a connection; returns when the server has accepted or dropped it. */
async function open(from: string): Promise<Socket> {
  const before = accepted.length + dropped.length;
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", localAddress: from }).on("error", () => undefined);
  sockets.push(socket);
  await expect.poll(() => accepted.length + dropped.length, { timeout: 20_000 }).toBeGreaterThan(before);
  return socket;
}

/** As many connections of an address as are accepted. */
async function flood(from: string): Promise<number> {
  const before = accepted.length;
  const droppedBefore = dropped.length;
  while (dropped.length === droppedBefore) await open(from);
  return accepted.length - before;
}

it("limits the connections of an address, and one that ends leaves its place", async () => {
  const first = await open("127.0.0.1");
  expect(await flood("127.0.0.1")).toBe(3);
  expect(dropped).toEqual(["TooManyConnections"]);
  const [served] = accepted;
  first.destroy();
  if (!served!.closed) await once(served!, "close");
  expect(await flood("127.0.0.1")).toBe(1);
});

it("leaves places to the next address, however many have taken all they can", async () => {
  const taken: number[] = [];
  for (let last = 1; last <= 6; last += 1) taken.push(await flood(`127.0.0.${last}`));
  expect(taken).toEqual([4, 4, 4, 2, 1, 1]);
});

it("gives a connection's place free that has proved who it is", async () => {
  await flood("127.0.0.1");
  for (const socket of accepted) proved(socket);
  expect(await flood("127.0.0.1")).toBe(4);
});

it("drops connections of an address that is slowed down, and no others", async () => {
  slowed = ["127.0.0.2"];
  await open("127.0.0.2");
  await open("127.0.0.1");
  expect([dropped, accepted.length]).toEqual([["SlowedDown"], 1]);
  expect(served).toEqual(accepted);
});

it("drops connections of an address that comes too often, which takes no place", async () => {
  late = ["127.0.0.2"];
  for (let at = 0; at < 5; at += 1) await open("127.0.0.2");
  expect(dropped).toEqual(Array(5).fill("SlowedDown"));
  late = [];
  expect(await flood("127.0.0.2")).toBe(4);
});

it("counts a handshake that was broken off as a failure of its address, and a whole one not", async () => {
  const whole = await open("127.0.0.11");
  server.emit("secureConnection", accepted[0]);
  const broken = await open("127.0.0.12");
  for (const socket of [whole, broken]) socket.resetAndDestroy();
  await expect.poll(() => accepted.every(({ closed }) => closed)).toBe(true);
  expect([failed.includes("127.0.0.11"), failed.includes("127.0.0.12")]).toEqual([false, true]);
});
