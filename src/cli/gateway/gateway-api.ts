import { request, type RequestOptions } from "node:https";
import { buffer } from "node:stream/consumers";

import { z } from "zod";

import { CliError } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import type { GatewayTarget } from "./gateway-target.ts";
import { openConnection } from "./gateway-connection.ts";
import { gatewayToken } from "./gateway-token.ts";

const answerWithinMs = 20_000;
/** The gateway allows half a minute for receiving an upload, and as much for storing it. A download may take as long. */
const transferWithinMs = 70_000;

/** An answer of the gateway, of any status. */
export interface GatewayAnswer {
  status: number;
  body: unknown;
}

/** The gateway's REST API, called with the user's token. */
export interface GatewayApi {
  get(path: string): Promise<GatewayAnswer>;
  post(path: string, body: object): Promise<GatewayAnswer>;
  /** Sends bytes of any kind. */
  upload(path: string, content: Uint8Array): Promise<GatewayAnswer>;
  /** The bytes at a path; `what` begins the message of a refusal. @throws CliError */
  download(path: string, what: string): Promise<Buffer<ArrayBuffer>>;
}

/** Opens the gateway at `--server`, else one of its pods by port-forward. @throws CliError without a token */
export async function openGatewayApi(
  { cluster, clock }: Pick<Invocation, "cluster" | "clock">,
  target: GatewayTarget,
): Promise<GatewayApi> {
  const token = await gatewayToken(cluster(), target);
  const send = async (path: string, content: Content): Promise<RawAnswer> => {
    const { socket, address } = await openConnection(cluster(), target);
    const tooLate = new AbortController();
    const timer = clock.setTimeout(
      () => tooLate.abort(new DOMException("the gateway did not answer in time", "TimeoutError")),
      content.withinMs,
    );
    try {
      // Without an agent, which Node would ask for the connection.
      const options = { createConnection: () => socket, signal: tooLate.signal };
      return await sendTo(`${address}${path}`, options, { token, ...content });
    } finally {
      timer.cancel();
      socket.destroy();
    }
  };
  return {
    get: (path) => send(path, { method: "GET", withinMs: answerWithinMs }).then(readAnswer),
    post(path, body) {
      const bytes = Buffer.from(JSON.stringify(body));
      return send(path, { method: "POST", type: "application/json", bytes, withinMs: answerWithinMs }).then(readAnswer);
    },
    upload: (path, bytes) =>
      send(path, { method: "POST", type: "application/octet-stream", bytes, withinMs: transferWithinMs }).then(
        readAnswer,
      ),
    async download(path, what) {
      const answer = await send(path, { method: "GET", withinMs: transferWithinMs });
      if (answer.status === 200) return answer.content;
      throw gatewayRefusal(readAnswer(answer), what);
    },
  };
}

interface RawAnswer {
  status: number;
  content: Buffer<ArrayBuffer>;
}

function readAnswer({ status, content }: RawAnswer): GatewayAnswer {
  return { status, body: parseAnswer(content.toString("utf8")) };
}

type Content = { withinMs: number } & ({ method: "GET" } | { method: "POST"; type: string; bytes: Uint8Array });

function sendTo(
  url: string,
  options: RequestOptions,
  { token, ...content }: Content & { token: string },
): Promise<RawAnswer> {
  const { method } = content;
  const body =
    content.method === "POST" ? { "content-type": content.type, "content-length": content.bytes.length } : {};
  const headers = { authorization: `Bearer ${token}`, ...body };
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      const cannotReach = `the gateway at ${url} cannot be reached: ${error.message}`;
      reject(error instanceof CliError ? error : new CliError(cannotReach));
    };
    const sent = request(url, { method, ...options, headers }, (answer) => {
      buffer(answer).then((content) => resolve({ status: answer.statusCode ?? 0, content }), fail);
    });
    sent.on("error", fail);
    sent.end(content.method === "POST" ? content.bytes : undefined);
  });
}

/** The JSON in an answer; undefined when it is not JSON. */
export function parseAnswer(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const Refused = z.object({ error: z.string(), code: z.string().optional() });

/** What to do about a refusal of the gateway, by its code. */
const remedies: Readonly<Record<string, string>> = {
  KeyExists: "Replace the key with kubectl runwright key regenerate; then give the new one to all senders",
  KeyManagedBySecret:
    "Change the Secret that spec.trigger.webhook names (keyHashSecretRef, authentication.hmac.secretRef), or remove the reference",
  Forbidden:
    "Ask for a role with this permission in the namespace: edit may create automations/key, view may get sessions/log",
  Unauthorized: "Log in again, or use a ServiceAccount with --service-account NAMESPACE/NAME",
};

/** The code of a refusal; undefined where there is none. */
export function refusalCode({ body }: GatewayAnswer): string | undefined {
  return Refused.safeParse(body).data?.code;
}

/** The error for an answer other than success. */
export function gatewayRefusal({ status, body }: GatewayAnswer, what: string): CliError {
  const { data } = Refused.safeParse(body);
  const remedy = remedies[data?.code ?? ""];
  const message = `${what}: ${data?.error ?? `the gateway answered ${status}`}`;
  return new CliError(remedy === undefined ? message : `${message}\n${remedy}`);
}
