import { readFile } from "node:fs/promises";
import { request, type RequestOptions } from "node:https";
import { connect } from "node:tls";

import { z } from "zod";

import { CliError } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { GatewayTarget } from "./gateway-target.ts";
import { readyGatewayPod } from "./gateway-pod.ts";
import { openTunnel } from "./tunnel.ts";

/** Port of the gateway's API for people, in its pods. */
const peoplePort = 8444;
const answerWithinMs = 20_000;
/** The gateway gives an upload half a minute, and as much to the storing of it. */
const uploadWithinMs = 70_000;

/** An answer of the gateway, of any status. */
export interface GatewayAnswer {
  status: number;
  body: unknown;
}

/** The gateway's API for people. */
export interface GatewayApi {
  post(path: string, body: object): Promise<GatewayAnswer>;
  /** Sends bytes of whichever kind. */
  upload(path: string, content: Uint8Array): Promise<GatewayAnswer>;
  close(): void;
}

/** Reaches the gateway at `--server`, else by a port-forward to one of its pods. @throws CliError */
export async function openGatewayApi(
  cluster: Pick<Cluster, "client" | "config">,
  token: string,
  { server, certificateAuthority, release }: Omit<GatewayTarget, "serviceAccount">,
): Promise<GatewayApi> {
  if (server !== undefined) {
    const ca = certificateAuthority === undefined ? {} : { ca: await readFile(certificateAuthority) };
    const to = (path: string): Destination => ({ url: `${server}${path}`, options: { agent: false, ...ca }, token });
    return apiAt(to, () => undefined);
  }
  const pod = await readyGatewayPod(cluster, release);
  const tunnel = await openTunnel(cluster.config, { namespace: release.namespace, pod, port: peoplePort });
  // The kube-apiserver, whose certificate was checked, has connected us to this very pod; the gateway's own certificate
  // is for its Service's name and from an authority that this machine need not know.
  // No agent beside it: Node would ask the agent for the connection.
  const createConnection = () => connect({ socket: tunnel.stream, rejectUnauthorized: false });
  const to = (path: string): Destination => ({ url: `https://${pod}${path}`, options: { createConnection }, token });
  return apiAt(to, () => tunnel.close());
}

interface Destination {
  url: string;
  options: RequestOptions;
  token: string;
}

function apiAt(to: (path: string) => Destination, close: () => void): GatewayApi {
  const json = (body: object): Content => ({ type: "application/json", bytes: Buffer.from(JSON.stringify(body)) });
  return {
    post: (path, body) => send(to(path), json(body)),
    upload: (path, bytes) => send(to(path), { type: "application/octet-stream", bytes, withinMs: uploadWithinMs }),
    close,
  };
}

interface Content {
  type: string;
  bytes: Uint8Array;
  withinMs?: number;
}

function send(
  { url, options, token }: Destination,
  { type, bytes, withinMs = answerWithinMs }: Content,
): Promise<GatewayAnswer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": type, "content-length": bytes.length };
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(
        error instanceof CliError ? error : new CliError(`the gateway at ${url} cannot be reached: ${error.message}`),
      );
    const signal = AbortSignal.timeout(withinMs);
    const sent = request(url, { method: "POST", ...options, headers, signal }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", fail);
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, body: parseAnswer(Buffer.concat(chunks).toString()) }),
      );
    });
    sent.on("error", fail);
    sent.end(bytes);
  });
}

/** The JSON that an answer says; undefined when it says none. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const Refused = z.object({ error: z.string(), code: z.string().optional() });

/** How to mend what the gateway refused; by its code. */
const remedies: Readonly<Record<string, string>> = {
  KeyExists: "Replace the key with kubectl runwright key regenerate; whoever uses the old one must be told the new one",
  KeyManagedBySecret: "Change the Secret that spec.trigger.webhook.keyHashSecretRef names, or remove the reference",
  Forbidden:
    "Ask for a role that may do that in that namespace: edit may create automations/key, view may get sessions/log",
  Unauthorized: "Log in again, or act as a ServiceAccount with --service-account NAMESPACE/NAME",
};

/** The error for an answer that is no success. */
export function gatewayRefusal({ status, body }: GatewayAnswer, what: string): CliError {
  const { data } = Refused.safeParse(body);
  const remedy = remedies[data?.code ?? ""];
  const message = `${what}: ${data?.error ?? `the gateway answered ${status}`}`;
  return new CliError(remedy === undefined ? message : `${message}\n${remedy}`);
}
