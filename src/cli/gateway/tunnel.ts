import { duplexPair, type Duplex } from "node:stream";

import { PortForward, type KubeConfig } from "@kubernetes/client-node";

import { CliError } from "../cli-error.ts";

/** A connection to a port of a pod, through the kube-apiserver. */
export interface Tunnel {
  stream: Duplex;
  close(): void;
}

/** Opens a port-forward as kubectl does, without a local port. @throws CliError */
export async function openTunnel(
  config: KubeConfig,
  { namespace, pod, port }: { namespace: string; pod: string; port: number },
): Promise<Tunnel> {
  const [near, far] = duplexPair();
  const [errors, errorText] = duplexPair();
  errorText.on("data", (text: Buffer) =>
    near.destroy(new CliError(`port-forward to pod ${namespace}/${pod}: ${text.toString().trim()}`)),
  );
  try {
    const socket = await new PortForward(config).portForward(namespace, pod, [port], far, errors, far);
    // With retries it would be a function that returns the socket.
    if (typeof socket === "function") throw new CliError("port-forward gave no connection");
    socket.addEventListener("close", () => near.destroy());
    return { stream: near, close: () => socket.close() };
  } catch (error) {
    throw new CliError(`port-forward to pod ${namespace}/${pod} was refused: ${messageOf(error)}`);
  }
}

/** A failed WebSocket rejects with an event. */
function messageOf(error: unknown): string {
  const isSaying = typeof error === "object" && error !== null && "message" in error;
  return isSaying && typeof error.message === "string" ? error.message : "no reason was given";
}
