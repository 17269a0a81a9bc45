import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { browserClock } from "../browser-clock.ts";
import { afterFailure, type Loaded } from "./after-failure.ts";
import { useVisibility } from "./visibility.ts";

/**
 * Loads something, and again every `everyMs` while the page is visible. `key` names what is loaded: another key loads anew.
 */
export function useLoaded<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  everyMs = 10_000,
): { loaded: Loaded<T>; reload: () => void } {
  const [loaded, setLoaded] = useState<{ key: string; is: Loaded<T> }>({ key, is: { state: "loading" } });
  const [turn, setTurn] = useState(0);
  const isVisible = useVisibility();
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (!isVisible) return undefined;
    const stop = new AbortController();
    let cancel = (): void => undefined;
    const show = (next: (before: Loaded<T>) => Loaded<T>): void => {
      if (stop.signal.aborted) return;
      setLoaded((before) => ({ key, is: next(before.key === key ? before.is : { state: "loading" }) }));
      cancel = browserClock.after(everyMs, again);
    };
    const again = (): void => {
      latest.current(stop.signal).then(
        (value) => show(() => ({ state: "full", value })),
        (error: unknown) => show((before) => afterFailure(before, error)),
      );
    };
    again();
    return () => {
      stop.abort();
      cancel();
    };
  }, [key, turn, isVisible, everyMs]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { loaded: loaded.key === key ? loaded.is : { state: "loading" }, reload };
}
