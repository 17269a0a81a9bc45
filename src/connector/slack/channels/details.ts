import type { SlackEvent } from "../../../api/v1alpha1/index.ts";
import { countCharacters, cutCharacters } from "../../../lib/characters.ts";
import { compareTimes } from "../slack-time.ts";

/** Who wrote a message: the app itself, another app, or a person. */
export type Speaker = "self" | "app" | "user" | "unknown";

/** A message of the thread that a message replies in. */
export interface ThreadEntry {
  ts: string;
  speaker: Speaker;
  /** The person's id, or the app's name. */
  name: string;
  text: string;
}

/** What Slack says of a message beside the message; all of it may be missing. */
export interface Surroundings {
  channelName?: string | undefined;
  link?: string | undefined;
  thread: readonly ThreadEntry[];
}

/** Earlier messages of the thread that an agent sees, and characters of each. */
const shownEntries = 20;
const entryCharacters = 1_024;
/** Characters that a Run's payload may have. */
const longestPayload = 65_536;

/** What the agent of a Run sees of the message that started it, as JSON: the message comes first and is never cut. */
export function detailsOf(event: SlackEvent, { channelName, link, thread }: Surroundings): string {
  const entries = shownThread(thread, event.ts ?? "");
  for (let dropped = 0; ; dropped += 1) {
    const details = JSON.stringify({
      channel: { id: event.channelID, name: channelName },
      by: event.actor?.id,
      link,
      text: event.text,
      ...(entries.length > 0 && { thread: withoutOldest(entries, dropped) }),
    });
    // Escapes can make a text six times as long.
    if (countCharacters(details) <= longestPayload || dropped >= entries.length) return details;
  }
}

/** The thread's first message and the newest ones before a message, at most 20. */
export function shownThread(thread: readonly ThreadEntry[], before: string): Omit<ThreadEntry, "ts">[] {
  const earlier = thread.filter(({ ts }) => compareTimes(ts, before) < 0);
  const [root, ...replies] = earlier.toSorted((left, right) => compareTimes(left.ts, right.ts));
  const shown = root ? [root, ...replies.slice(-(shownEntries - 1))] : [];
  return shown.map(({ speaker, name, text }) => ({ speaker, name, text: cutCharacters(text, entryCharacters) }));
}

/** The first one stays the longest. */
function withoutOldest<T>(entries: readonly T[], dropped: number): T[] {
  return [...entries.slice(0, 1), ...entries.slice(1 + dropped)].slice(0, entries.length - dropped);
}
