import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

import { afterEach, expect, it } from "vitest";

import { capPerAddress } from "./address-cap.ts";

const most = 2;
const server = createServer((socket) => socket.resume().on("error", () => undefined));
let dropped = 0;
capPerAddress(server, most, () => (dropped += 1));
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function open(from: string): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", localAddress: from }).on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

const taken = (): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

it("drops and counts connections beyond the limit of an address, and accepts others and later ones", async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const [first] = [await open("127.0.0.1"), await open("127.0.0.1")];
  const third = await open("127.0.0.1");
  await once(third.resume(), "close");
  expect(dropped).toBe(1);
  await open("127.0.0.2");
  await expect.poll(taken, { timeout: 20_000 }).toBe(3);

  first.destroy();
  await expect.poll(taken, { timeout: 20_000 }).toBe(2);
  await open("127.0.0.1");
  await expect.poll(taken, { timeout: 20_000 }).toBe(3);
});
