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
  /** Where what is older ends; undefined where the stream has not said that there is any. */
  readonly older: string | undefined;
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
  const told: Told = { events: [], older: undefined };
  const ended = read(answer.body, told).catch(() => false);
  return {
    events: told.events,
    get older() {
      return told.older;
    },
    ended,
    close: () => over.abort(),
  };
}

interface Told {
  events: Streamed[];
  older: string | undefined;
}

async function read(body: AsyncIterable<Buffer>, told: Told): Promise<boolean> {
  let rest = "";
  let isFinished = false;
  for await (const piece of body) {
    const messages = (rest + piece.toString("utf8")).split("\n\n");
    rest = messages.pop() ?? "";
    for (const message of messages) {
      const fields = new Map(message.split("\n").map((line) => [line.split(": ", 1)[0], line.replace(/^[^:]*: /, "")]));
      const data = fields.get("data");
      if (fields.get("event") === "end") isFinished = true;
      else if (fields.get("event") === "older") told.older = (JSON.parse(data ?? "{}") as { before?: string }).before;
      else if (data !== undefined)
        told.events.push({ id: fields.get("id") ?? "", event: JSON.parse(data) as SessionEvent });
    }
  }
  return isFinished;
}
