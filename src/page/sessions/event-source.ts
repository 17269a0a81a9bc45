import { createParser } from "eventsource-parser";
import { Problem, type SessionEvent } from "../api.ts";

/** What a stream of a session's events gives. */
export interface EventSink {
  /** The connection is there. */
  open: () => void;
  /** There are older events than those that follow, to be had as those before this id. */
  older: (before: string) => void;
  /** The id with which the stream goes on; undefined for an event after which it cannot. */
  event: (event: SessionEvent, id: string | undefined) => void;
  /** The session is finished, or all is sent that was asked for: no more events come. */
  end: () => void;
}

/** What is asked for of a session's events: those after an earlier one, or the newest, of all or of those before one. */
interface Wanted {
  after?: string | undefined;
  before?: string;
  signal?: AbortSignal;
}

/** Bytes of events that are asked for at a time. */
const partBytes = 262_144;

/**
 * Reads events of a session; resolves when the connection ends. @throws Problem where there is no stream
 */
export async function readEvents(session: string, { after, before, signal }: Wanted, sink: EventSink): Promise<void> {
  const headers = { accept: "text/event-stream", ...(after !== undefined && { "last-event-id": after }) };
  const query = new URLSearchParams({ last: String(partBytes), ...(before !== undefined && { before }) });
  const response = await fetch(`/api/sessions/${session}/events?${String(query)}`, { headers, signal: signal ?? null });
  if (!response.ok || !response.body) {
    const body = (await response.json().catch(() => ({}))) as { error?: string };
    throw new Problem(response.status, body.error ?? `the gateway answered ${response.status}`);
  }
  sink.open();
  const parser = createParser({
    onEvent({ event, id, data }) {
      if (event === "end") sink.end();
      else if (event === "older") sink.older((JSON.parse(data) as { before: string }).before);
      else sink.event(JSON.parse(data) as SessionEvent, id);
    },
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

/** What came before a part of a session's events. */
export interface OlderPart {
  events: readonly SessionEvent[];
  /** Where the part before this one ends; undefined where there is none. */
  before: string | undefined;
}

/** Reads the newest events before one, all of them or none. @throws Problem */
export async function readOlderPart(session: string, before: string): Promise<OlderPart> {
  const part = { events: [] as SessionEvent[], before: undefined as string | undefined, isWhole: false };
  const sink: EventSink = {
    open: () => undefined,
    older: (id) => (part.before = id),
    event: (event) => part.events.push(event),
    end: () => (part.isWhole = true),
  };
  await readEvents(session, { before }, sink).catch((error: unknown) => {
    throw problemOf(error);
  });
  if (!part.isWhole) throw lost;
  return part;
}

const lost = new Problem(0, "the connection was lost");

/** Why a stream came to nothing. */
export function problemOf(error: unknown): Problem {
  return error instanceof Problem ? error : lost;
}
