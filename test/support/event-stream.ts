import { request, type Agent } from "undici";

import type { SessionEvent } from "../../src/api/runtime/session-event.ts";

export interface Streamed {
  /** Empty where it has none. */
  id: string;
  event: SessionEvent;
}

/** What a stream of a session's events has told so far. */
export interface OpenStream {
  readonly events: Streamed[];
  /** Resolves when the stream has ended: whether it said that the session is finished. */
  readonly ended: Promise<boolean>;
  close(): void;
}

/** Opens `GET /sessions/{id}/events`; rejects with the answer unless it is 200. */
export async function openStream(
  agent: Agent,
  url: string,
  { token, lastEventId }: { token: string; lastEventId?: string },
): Promise<OpenStream> {
  const over = new AbortController();
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
  };
  const answer = await request(url, { dispatcher: agent, headers, signal: over.signal, bodyTimeout: 0 });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${await answer.body.text()}`);
  const events: Streamed[] = [];
  return {
    events,
    ended: read(answer.body, events).catch(() => false),
    close: () => over.abort(),
  };
}

async function read(body: AsyncIterable<Buffer>, events: Streamed[]): Promise<boolean> {
  let rest = "";
  let isFinished = false;
  for await (const piece of body) {
    const messages = (rest + piece.toString("utf8")).split("\n\n");
    rest = messages.pop() ?? "";
    for (const message of messages) {
      const fields = new Map(message.split("\n").map((line) => [line.split(": ", 1)[0], line.replace(/^[^:]*: /, "")]));
      const data = fields.get("data");
      if (fields.get("event") === "end") isFinished = true;
      else if (data !== undefined) events.push({ id: fields.get("id") ?? "", event: JSON.parse(data) as SessionEvent });
    }
  }
  return isFinished;
}
