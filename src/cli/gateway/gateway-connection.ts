import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";

import type { Cluster } from "../cluster/cluster.ts";
import { readyGatewayPod } from "./gateway-pod.ts";
import type { GatewayTarget } from "./gateway-target.ts";
import { openTunnel } from "./tunnel.ts";

/** Port of the gateway's REST API in its pods. */
export const apiPort = 8444;

/** Connects to the gateway at `--server`, else by a port-forward to one of its pods. @throws CliError */
export async function connectToGateway(
  cluster: Pick<Cluster, "client" | "config">,
  { server, certificateAuthority, release }: Omit<GatewayTarget, "serviceAccount">,
): Promise<TLSSocket> {
  const socket =
    server === undefined ? await throughPod(cluster, release) : await toServer(server, certificateAuthority);
  await once(socket, "secureConnect");
  return socket;
}

async function toServer(server: string, certificateAuthority: string | undefined): Promise<TLSSocket> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "");
  const ca = certificateAuthority === undefined ? {} : { ca: await readFile(certificateAuthority) };
  return connect({ host, servername: host, port: Number(port || 443), ...ca });
}

async function throughPod(
  cluster: Pick<Cluster, "client" | "config">,
  release: GatewayTarget["release"],
): Promise<TLSSocket> {
  const pod = await readyGatewayPod(cluster, release);
  const tunnel = await openTunnel(cluster.config, { namespace: release.namespace, pod, port: apiPort });
  // The kube-apiserver, whose certificate was checked, has connected us to this very pod; the gateway's own certificate
  // is for its Service's name and from an authority that this machine need not know.
  const socket = connect({ socket: tunnel.stream, rejectUnauthorized: false });
  socket.on("close", () => tunnel.close());
  return socket;
}
