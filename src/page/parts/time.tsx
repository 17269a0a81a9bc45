import type { JSX } from "preact";
import { browserClock } from "../browser-clock.ts";
import { relativeTime } from "./relative-time.ts";

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

/** An instant: how long ago it was, and on hover the time in the viewer's zone. */
export function When({ at }: { at: number }): JSX.Element {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={absolute.format(date)}>
      {relativeTime(at, browserClock.nowMs())}
    </time>
  );
}

/** The same for instants that may not be known. */
export function MaybeWhen({ at }: { at: number | null }): JSX.Element {
  return at === null ? <span class="faint">–</span> : <When at={at} />;
}
