import { createParser } from "eventsource-parser";
import { Problem, type SessionEvent } from "../api.ts";

/** What a stream of a session's events gives. */
export interface EventSink {
  /** The connection is there. */
  open: () => void;
  /** The id with which the stream goes on; undefined for an event after which it cannot. */
  event: (event: SessionEvent, id: string | undefined) => void;
  /** The session is finished: no more events come. */
  end: () => void;
}

/**
 * Reads the events of a session after an earlier one; resolves when the connection ends. @throws Problem where there is no
 * stream
 */
export async function readEvents(
  session: string,
  { after, signal }: { after: string | undefined; signal: AbortSignal },
  sink: EventSink,
): Promise<void> {
  const headers = { accept: "text/event-stream", ...(after !== undefined && { "last-event-id": after }) };
  const response = await fetch(`/api/sessions/${session}/events`, { headers, signal });
  if (!response.ok || !response.body) {
    const body = (await response.json().catch(() => ({}))) as { error?: string };
    throw new Problem(response.status, body.error ?? `the gateway answered ${response.status}`);
  }
  sink.open();
  const parser = createParser({
    onEvent({ event, id, data }) {
      if (event === "end") sink.end();
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
