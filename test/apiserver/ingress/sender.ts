import { Agent, request, type IncomingHttpHeaders } from "node:http";

import type { Made } from "./automations.ts";
import type { Replica } from "./world.ts";

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

export interface Sent {
  status: number;
  /** Parsed. */
  body: unknown;
  headers: IncomingHttpHeaders;
}

/** What differs from a plain JSON POST with the Automation's key. */
export interface SendOptions {
  method?: string;
  /** Undefined removes a header. */
  headers?: Record<string, string | undefined>;
  path?: string;
  /** Without a declared length, in two pieces. */
  chunked?: boolean;
}

/** Sends a delivery; an object is sent as its JSON, text and bytes as they are. */
export function deliver(
  replica: Pick<Replica, "url">,
  to: Pick<Made, "id" | "key">,
  body: object | string | Uint8Array,
  { method = "POST", headers = {}, path = `/webhooks/automation/${to.id}`, chunked = false }: SendOptions = {},
): Promise<Sent> {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const all = {
    "content-type": "application/json",
    authorization: `Bearer ${to.key}`,
    ...(chunked ? { "transfer-encoding": "chunked" } : { "content-length": String(bytes.length) }),
    ...headers,
  };
  const given = Object.fromEntries(Object.entries<string | undefined>(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const sent = request(`${replica.url}${path}`, { method, headers: given, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: answer.statusCode ?? 0,
          body: text === "" ? undefined : JSON.parse(text),
          headers: answer.headers,
        });
      });
    });
    sent.on("error", reject);
    const middle = Math.floor(bytes.length / 2);
    if (chunked) sent.write(bytes.subarray(0, middle));
    sent.end(bytes.subarray(chunked ? middle : 0));
  });
}

/** The success body. */
export function receipt(triggered: number, skipped = 0): object {
  return { ok: true, triggered, skipped, steered: 0 };
}
