import { useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../api.ts";
import { browserClock } from "../browser-clock.ts";
import { useVisibility } from "../parts/visibility.ts";
import { readEvents } from "./event-source.ts";
import { type Entry, withEvent } from "./timeline-entries.ts";

export interface TimelineState {
  entries: readonly Entry[];
  is: "loading" | "live" | "ended" | "broken";
  /** Why there is no stream. */
  problem?: Problem;
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
  const place = useRef<{ after: string | undefined; hasEnded: boolean }>({ after: undefined, hasEnded: false });
  const isVisible = useVisibility();
  useEffect(() => {
    const at = place.current;
    if (!isVisible || at.hasEnded) return undefined;
    const stop = new AbortController();
    let cancel = (): void => undefined;
    const follow = (): void => {
      const sink = batchedSink(at, (change) => !stop.signal.aborted && setState(change));
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
      if (error !== undefined) setState((before) => ({ ...before, is: "loading" }));
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

/** Collects events that come together, so that a long history is shown at once. */
function batchedSink(
  at: { after: string | undefined; hasEnded: boolean },
  change: (next: (before: TimelineState) => TimelineState) => void,
): Parameters<typeof readEvents>[2] {
  let waiting: Parameters<typeof withEvent>[1][] = [];
  const flush = (): void => {
    const events = waiting;
    waiting = [];
    change((before) => ({ entries: events.reduce(withEvent, before.entries), is: at.hasEnded ? "ended" : "live" }));
  };
  return {
    open: () => change((before) => ({ ...before, is: "live" })),
    event(event, id) {
      at.after = id ?? at.after;
      waiting.push(event);
      if (waiting.length === 1) browserClock.after(0, flush);
    },
    end() {
      at.hasEnded = true;
      flush();
    },
  };
}
