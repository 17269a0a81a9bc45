import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { tunnelPath } from "../../domain/tunnel-url.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { port, readValue } from "../arguments/value-types.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { connectToGateway } from "../gateway/gateway-connection.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";
import { forwardLocally } from "../gateway/local-forward.ts";
import { keptToken } from "../gateway/kept-token.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingSession } from "../cluster/existing-objects.ts";

export const sessionTunnel = defineCommand({
  name: "session tunnel",
  summary: "open a port of a Session's sandbox on this machine",
  details:
    "Keeps the port open until you interrupt the command with Ctrl-C. PORT must be one of the session's tunnelPorts. Browsers and other programs on this machine reach it at 127.0.0.1, over HTTP and WebSocket; other machines cannot. Needs permission to create sessions/tunnel, which the role edit has.",
  parameters: ["SESSION", "PORT"],
  flags: {
    "local-port": { value: "PORT", type: port(0), about: "port on this machine; 0 picks a free one (default: PORT)" },
  },
  formats: [],
  examples: ["session tunnel demo/upgrade 3000", "session tunnel upgrade 3000 -n demo --local-port 8080"],
  async run(invocation) {
    const remotePort = readValue(port(1), "PORT", invocation.args[1] ?? "", sessionTunnel.name);
    const localPort = invocation.flags["local-port"] ?? remotePort;
    const session = await existingSession(invocation.cluster(), nameArgument("Session", invocation));
    const { namespace = "", name = "" } = session.metadata;
    if (!session.status?.sandbox?.tunnels?.some((tunnel) => tunnel.port === remotePort)) {
      throw new CliError(`port ${remotePort} is none of the tunnelPorts of Session ${keyText(keyOf(session))}`);
    }
    const target = gatewayTarget(invocation, namespace);
    const cluster = invocation.cluster();
    const token = keptToken(invocation, target);
    // Fails now without a token, rather than at the first request.
    await token();
    const server = await forwardLocally(localPort, {
      prefix: tunnelPath({ namespace, session: name, port: remotePort }),
      connect: () => connectToGateway(cluster, target),
      token,
      note: (line) => invocation.io.note(line),
    });
    const { port: open } = server.address() as AddressInfo;
    invocation.io.note(`Port ${remotePort} of the sandbox is at http://127.0.0.1:${open}/ until you interrupt this`);
    await once(server, "close");
    return { text: "", json: {} };
  },
});
