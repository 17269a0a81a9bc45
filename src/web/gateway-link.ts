import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { isIP } from "node:net";
import { connect } from "node:tls";
import type { Clock } from "../lib/clock.ts";
import type { GatewayLink } from "../page-server/forward.ts";

/** The gateway at its Service. */
export interface GatewayAddress {
  /** Such as `https://runwright-gateway.runwright-system.svc:8444`. */
  url: string;
  /** PEM file of the authorities of its certificate; read for each connection, since authorities change. */
  authoritiesFile: string;
}

const connectMs = 10_000;
/** Milliseconds for an answer about a token, of which the gateway needs three seconds at most. */
const answerMs = 10_000;

/** Connects to the gateway, and to nothing that has not its certificate. */
export function gatewayLink({ url, authoritiesFile }: GatewayAddress): GatewayLink {
  const { hostname, port, host } = new URL(url);
  return {
    host,
    async connect() {
      const servername = isIP(hostname) === 0 ? { servername: hostname } : {};
      const ca = await readFile(authoritiesFile);
      const socket = connect({ host: hostname, port: Number(port || 443), ca, ...servername, timeout: connectMs });
      socket.once("timeout", () => socket.destroy(new Error("the gateway did not take the connection in time")));
      await once(socket, "secureConnect");
      // Streams may be quiet for long.
      socket.setTimeout(0);
      return socket;
    },
  };
}

/** The status with which the gateway answers who the bearer of a token is. @throws Error where it does not within 10 seconds */
export async function statusOfToken(
  gateway: GatewayLink,
  token: string,
  clock: Pick<Clock, "setTimeout">,
): Promise<number> {
  const socket = await gateway.connect();
  const late = new Error("the gateway did not say in time whose a token is");
  const timer = clock.setTimeout(() => socket.destroy(late), answerMs);
  try {
    const headers = { host: gateway.host, authorization: `Bearer ${token}`, connection: "close" };
    const sent = request({ path: "/caller", headers, createConnection: () => socket });
    sent.end();
    const [answer] = (await once(sent, "response")) as [{ statusCode?: number; resume: () => void }];
    answer.resume();
    return answer.statusCode ?? 0;
  } finally {
    timer.cancel();
    socket.destroy();
  }
}
