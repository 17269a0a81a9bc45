import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../api.ts";
import { browserClock } from "../browser-clock.ts";
import { isFinal } from "../parts/after-failure.ts";
import { useVisibility } from "../parts/visibility.ts";
import { inBatches, type Place } from "./event-batches.ts";
import { problemOf, readEvents, readOlderPart } from "./event-source.ts";
import { SeenEvents } from "./seen-events.ts";
import { type Entry, withEvents, withOlderEvents } from "./timeline-entries.ts";

interface TimelineState {
  entries: readonly Entry[];
  /** Where events end that are older than the entries and not loaded; undefined where there are none. */
  older?: string | undefined;
  is: "loading" | "live" | "ended" | "broken";
  /** Why there is no stream; it is tried again unless `is` says `broken`. */
  problem?: Problem | undefined;
}

export interface LiveTimeline extends TimelineState {
  /** Loads what is older than the entries, as much as one part has. @throws Problem */
  loadOlder: () => Promise<void>;
}

const retryMs = 2_000;

/**
 * Follows the newest events of a session while the tab is visible, and goes on after the last one when it is visible again or
 * the connection was lost.
 */
export function useTimeline(session: string): LiveTimeline {
  const [state, setState] = useState<TimelineState>({ entries: [], is: "loading" });
  const place = useRef<Place>({ after: undefined, hasEnded: false });
  const seen = useRef(new SeenEvents());
  const isVisible = useVisibility();
  useEffect(() => {
    const at = place.current;
    if (!isVisible || at.hasEnded) return undefined;
    const stop = new AbortController();
    let cancel = (): void => undefined;
    const follow = (): void => {
      const sink = inBatches(at, stop.signal, {
        open: () => setState(({ entries, older }) => ({ entries, older, is: "live" })),
        older: (older) => setState((before) => ({ ...before, older })),
        events: (events) => {
          const unseen = seen.current.ofStream(events);
          const is = at.hasEnded ? "ended" : "live";
          setState(({ entries, older }) => ({ entries: withEvents(entries, unseen), older, is }));
        },
      });
      readEvents(session, { after: at.after, signal: stop.signal }, sink).then(
        () => again(),
        (error: unknown) => again(error),
      );
    };
    const again = (error?: unknown): void => {
      if (stop.signal.aborted || at.hasEnded) return;
      if (error instanceof Problem && (error.status === 400 || isFinal(error))) {
        setState({ entries: [], is: "broken", problem: error });
        return;
      }
      if (error !== undefined) setState((before) => ({ ...before, is: "loading", problem: problemOf(error) }));
      cancel = browserClock.after(retryMs, follow);
    };
    follow();
    return () => {
      stop.abort();
      cancel();
    };
  }, [session, isVisible]);
  const { older: end } = state;
  const loadOlder = useCallback(async () => {
    if (end === undefined) return;
    const { events, before } = await readOlderPart(session, end);
    const unseen = seen.current.ofOlderPart(events);
    setState((now) => {
      // The timeline may not be shown any longer.
      if (now.older !== end) return now;
      return { ...now, entries: withOlderEvents(unseen, now.entries), older: before };
    });
  }, [session, end]);
  return { ...state, loadOlder };
}
