import { Agent, request } from "undici";

import type { Payload } from "./ledger.ts";

/** What the sender of a delivery got to know; `none` = no answer. */
export type Answer = { status: number; triggered: number; skipped: number } | "none";

const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 4_000 });

export interface Letter {
  url: string;
  /** `namespace.name` */
  id: string;
  key: string | undefined;
  payload: Payload;
  /** Ends the wait for an answer. */
  signal?: AbortSignal | undefined;
}

/** Posts a delivery. */
export async function send({ url, id, key, payload, signal }: Letter): Promise<Answer> {
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const path = `${url}/webhooks/automation/${id}`;
  try {
    const body = JSON.stringify(payload);
    const { statusCode, body: answer } = await request(path, {
      method: "POST",
      headers,
      body,
      dispatcher: agent,
      signal: signal ?? null,
    });
    const { triggered = 0, skipped = 0 } = (await answer.json()) as { triggered?: number; skipped?: number };
    return { status: statusCode, triggered, skipped };
  } catch {
    return "none";
  }
}

export function shown(answer: Answer): string {
  return answer === "none" ? "no answer" : `${answer.status} triggered ${answer.triggered} skipped ${answer.skipped}`;
}
