import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";

import { expect, it, onTestFinished } from "vitest";

import { CliError } from "../cli-error.ts";
import { listenHere } from "./listen-here.ts";

it("names a port that another program has, and takes it once that is gone", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await expect(listenHere(aServer(), port)).rejects.toThrow(
    new CliError(`port ${port} of this machine is taken: name another with --local-port; 0 picks a free one`),
  );
  other.close();
  await once(other, "close");
  const server = aServer();
  await listenHere(server, port);
  expect(server.address()).toMatchObject({ address: "127.0.0.1", port });
});

it("picks a free port for 0", async () => {
  const server = aServer();
  await listenHere(server, 0);
  expect((server.address() as AddressInfo).port).toBeGreaterThan(0);
});

function aServer(): Server {
  const server = createServer();
  onTestFinished(() => void server.close());
  return server;
}
