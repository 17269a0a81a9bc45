import { useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../api.ts";
import { browserClock } from "../browser-clock.ts";
import { useVisibility } from "../parts/visibility.ts";
import { inBatches, type Place } from "./event-batches.ts";
import { readEvents } from "./event-source.ts";
import { type Entry, withEvents } from "./timeline-entries.ts";

export interface TimelineState {
  entries: readonly Entry[];
  is: "loading" | "live" | "ended" | "broken";
  /** Why there is no stream; it is tried again unless `is` says `broken`. */
  problem?: Problem | undefined;
}

const retryMs = 2_000;
/** Problems that another try does not solve. */
const final = [400, 401, 403, 404];

/**
 * Follows the events of a session while the tab is visible, and goes on after the last one when it is visible again or the
 * connection was lost.
 */
export function useTimeline(session: string): TimelineState {
  const [state, setState] = useState<TimelineState>({ entries: [], is: "loading" });
  const place = useRef<Place>({ after: undefined, hasEnded: false });
  const isVisible = useVisibility();
  useEffect(() => {
    const at = place.current;
    if (!isVisible || at.hasEnded) return undefined;
    const stop = new AbortController();
    let cancel = (): void => undefined;
    const follow = (): void => {
      const sink = inBatches(at, stop.signal, {
        open: () => setState(({ entries }) => ({ entries, is: "live" })),
        events: (events) =>
          setState(({ entries }) => ({ entries: withEvents(entries, events), is: at.hasEnded ? "ended" : "live" })),
      });
      readEvents(session, { after: at.after, signal: stop.signal }, sink).then(
        () => again(),
        (error: unknown) => again(error),
      );
    };
    const again = (error?: unknown): void => {
      if (stop.signal.aborted || at.hasEnded) return;
      if (error instanceof Problem && final.includes(error.status)) {
        setState((before) => ({ ...before, is: "broken", problem: error }));
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
  return state;
}

function problemOf(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, "the connection was lost");
}
