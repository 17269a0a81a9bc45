import type { Buffer } from "node:buffer";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";

/** What a TLS connection to the API server is made with. */
export interface TlsMaterial {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}

export interface Credentials {
  tls: TlsMaterial;
  /** `Authorization`, and `Impersonate-…` where the kubeconfig says so. */
  headers: Readonly<Record<string, string>>;
}

/** Which API server to talk to and as whom. */
export interface ApiAccess {
  /** Base URL, with a path where the server sits behind one. */
  server: string;
  proxyUrl?: string | undefined;
  /** Asked about once a minute and after a 401, so that rotated tokens and certificates come into use. */
  credentials(): Promise<Credentials>;
}

/** Access as a kubeconfig or the pod's own service account gives it, exec plugins and token files included. */
export function accessFrom(config: KubeConfig): ApiAccess {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error(`the kubeconfig has no cluster for its current context "${config.currentContext}"`);
  return { server: cluster.server, proxyUrl: cluster.proxyUrl, credentials: () => credentialsOf(config) };
}

async function credentialsOf(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const tls: TlsMaterial = {};
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  if (isMaterial(ca)) tls.ca = ca;
  if (isMaterial(cert)) tls.cert = cert;
  if (isMaterial(key)) tls.key = key;
  if (servername !== undefined) tls.servername = servername;
  if (rejectUnauthorized !== undefined) tls.rejectUnauthorized = rejectUnauthorized;
  return { tls, headers: textHeaders(options.headers) };
}

/** client-node sets text or bytes; Node's own type also allows lists. */
function isMaterial(value: unknown): value is string | Buffer {
  return typeof value === "string" || value instanceof Uint8Array;
}

function textHeaders(headers: RequestOptions["headers"]): Record<string, string> {
  const entries = Array.isArray(headers) ? [] : Object.entries(headers ?? {});
  // A token file may end with a newline, which no header may hold.
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value.trim()]] : [])),
  );
}
