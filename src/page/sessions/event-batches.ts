import type { SessionEvent } from "../api.ts";
import { browserClock } from "../browser-clock.ts";
import type { EventSink } from "./event-source.ts";

/** How far a timeline has come. */
export interface Place {
  /** The id with which the stream goes on. */
  after: string | undefined;
  /** Whether no more events come. */
  hasEnded: boolean;
}

/**
 * Gives events that come together at once, so that a long history is shown at once. The place moves with what was given: an event that
 * waits when the stream is stopped comes again.
 */
export function inBatches(
  place: Place,
  stopped: AbortSignal,
  to: Pick<EventSink, "open" | "older"> & { events: (events: readonly SessionEvent[]) => void },
  clock: Pick<typeof browserClock, "after"> = browserClock,
): EventSink {
  let waiting: { event: SessionEvent; id: string | undefined }[] = [];
  const flush = (): void => {
    if (stopped.aborted) return;
    const batch = waiting;
    waiting = [];
    place.after = batch.findLast(({ id }) => id !== undefined)?.id ?? place.after;
    to.events(batch.map(({ event }) => event));
  };
  return {
    open: () => {
      if (!stopped.aborted) to.open();
    },
    older: (before) => {
      if (!stopped.aborted) to.older(before);
    },
    event(event, id) {
      waiting.push({ event, id });
      if (waiting.length === 1) clock.after(0, flush);
    },
    end() {
      if (stopped.aborted) return;
      place.hasEnded = true;
      flush();
    },
  };
}
