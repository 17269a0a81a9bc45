import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { createPageServer } from "../../page-server/page-server.ts";
import { port } from "../arguments/value-types.ts";
import { defineCommand } from "../command.ts";
import { connectToGateway } from "../gateway/gateway-connection.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";
import { keptToken } from "../gateway/kept-token.ts";
import { listenHere } from "../gateway/listen-here.ts";
import { OneTimeAccess } from "../gateway/one-time-access.ts";

export const ui = defineCommand({
  name: "ui",
  summary: "open the web page on this machine",
  details:
    "Serves the page at 127.0.0.1 until you interrupt the command with Ctrl-C, and prints an address that works once. In the page you may do what your own rights allow; other people and other machines cannot reach it.",
  parameters: [],
  flags: {
    "local-port": { value: "PORT", type: port(0), default: 0, about: "port on this machine; 0 picks a free one" },
  },
  formats: [],
  examples: ["ui", "ui -n demo --service-account demo/key-manager"],
  async run(invocation) {
    const { flags, io, random } = invocation;
    const cluster = invocation.cluster();
    const namespace = invocation.namespace ?? cluster.namespace;
    const target = gatewayTarget(invocation, namespace);
    const token = keptToken(invocation, target);
    // Fails now without a token, rather than in the page.
    await token();
    const access = new OneTimeAccess({ random, token, namespace, port: () => (server.address() as AddressInfo).port });
    const server = createPageServer({
      files: invocation.page(),
      access,
      gateway: { connect: () => connectToGateway(cluster, target), host: target.release.name },
      onError: (error) => io.note(error instanceof Error ? error.message : "the gateway gave no answer"),
    });
    await listenHere(server, flags["local-port"]);
    io.note(`The page is at ${access.address()} until you interrupt this`);
    await once(server, "close");
    return { text: "", json: {} };
  },
});
