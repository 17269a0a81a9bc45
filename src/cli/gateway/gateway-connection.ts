import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";

import { gatewayServerName } from "../../api/v1alpha1/names.ts";
import { unreadable } from "../arguments/unreadable.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { readyGatewayPod } from "./gateway-pod.ts";
import type { GatewayTarget } from "./gateway-target.ts";
import { publishedAuthorities } from "./published-authorities.ts";
import { openTunnel } from "./tunnel.ts";

/** Port of the gateway's REST API in its pods. */
const apiPort = 8444;

interface GatewayConnection {
  /** Not yet connected. */
  socket: TLSSocket;
  /** The beginning of URLs. */
  address: string;
}

/** Connects to the gateway at `--server`, else by a port-forward to one of its pods. @throws CliError */
export async function connectToGateway(
  cluster: Pick<Cluster, "client" | "config">,
  target: GatewayTarget,
): Promise<TLSSocket> {
  const { socket } = await openConnection(cluster, target);
  await once(socket, "secureConnect");
  return socket;
}

/** Begins to connect as {@link connectToGateway} does. @throws CliError */
export async function openConnection(
  cluster: Pick<Cluster, "client" | "config">,
  { server, certificateAuthority, release }: GatewayTarget,
): Promise<GatewayConnection> {
  if (server !== undefined) return { socket: await toServer(server, certificateAuthority), address: server };
  const pod = await readyGatewayPod(cluster, release);
  const ca =
    certificateAuthority === undefined
      ? await publishedAuthorities(cluster, release)
      : await readAuthority(certificateAuthority);
  const tunnel = await openTunnel(cluster.config, { namespace: release.namespace, pod, port: apiPort });
  // Who may create pods can give one the gateway's labels, but not its certificate.
  const socket = connect({ socket: tunnel.stream, ca, servername: gatewayServerName(release) });
  socket.on("close", () => tunnel.close());
  return { socket, address: `https://${pod}` };
}

async function toServer(server: string, certificateAuthority: string | undefined): Promise<TLSSocket> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "");
  const ca = certificateAuthority === undefined ? {} : { ca: await readAuthority(certificateAuthority) };
  // TLS has no server names for addresses.
  return connect({ host, ...(isIP(host) === 0 && { servername: host }), port: Number(port || 443), ...ca });
}

async function readAuthority(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw unreadable(`--certificate-authority ${file}`, error);
  }
}
