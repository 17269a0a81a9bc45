import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { freePorts, portNear } from "./ports.ts";

describe("freePorts", () => {
  it("gives ports that differ", async () => {
    const ports = await freePorts(20);
    expect(new Set(ports).size).toBe(20);
  });
});

describe("portNear", () => {
  it("gives the wanted port when it is free", async () => {
    const [port = 0] = await freePorts(1);
    await expect(portNear(port)).resolves.toBe(port);
  });

  it("gives another when a server listens on it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await expect(portNear(port)).resolves.not.toBe(port);
  });
});
