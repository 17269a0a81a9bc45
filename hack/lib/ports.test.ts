import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";

import { describe, expect, it, onTestFinished } from "vitest";

import { freePorts, portNear } from "./ports.ts";

/** All at once, loopback, and another of this machine's where there is one. */
const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
const other = others.find(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0)?.address;
const addresses = ["0.0.0.0", "127.0.0.1", ...(other === undefined ? [] : [other])];

describe("freePorts", () => {
  it("gives ports that differ", async () => {
    const ports = await freePorts(20);
    expect(new Set(ports).size).toBe(20);
  });

  it.each(addresses)("gives no port on which a program listens on %s", async (address) => {
    const taken = await listenOn(address);
    const [free = 0] = await freePorts(1);
    const drawn = [taken, taken, free];
    await expect(freePorts(1, () => drawn.shift() ?? 0)).resolves.toEqual([free]);
  });

  it("gives up where none is free", async () => {
    const taken = await listenOn("127.0.0.1");
    await expect(freePorts(2, () => taken)).rejects.toThrow("2 free ports not found in 202 attempts");
  });
});

describe("portNear", () => {
  it("gives the wanted port when it is free", async () => {
    const [port = 0] = await freePorts(1);
    await expect(portNear(port)).resolves.toBe(port);
  });

  it.each(addresses)("gives another when a program listens on %s", async (address) => {
    const port = await listenOn(address);
    await expect(portNear(port)).resolves.not.toBe(port);
  });
});

/** Listens until the test ends, and gives the port. */
async function listenOn(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
