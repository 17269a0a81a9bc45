import type { SessionEvent } from "../api.ts";
import { eventInWords } from "../../domain/session-events/event-words.ts";

/** One part of a timeline: what a program wrote, or what happened. */
export interface Entry {
  key: string;
  time: string;
  kind: "output" | "tool" | "note" | "problem";
  /** Who wrote an output, such as `agent` or `setup in shop`. */
  source: string;
  text: string;
}

/** Characters of one output; a longer one goes on in a further entry. */
const longestOutput = 20_000;
/** Characters that the timeline shows at first, and how many more each time that older ones are asked for. */
export const windowCharacters = 262_144;

/** Characters that an entry counts as, at least: 1,024 of them are in the window. */
const leastCharacters = 256;

/** The timeline after further events; output of the same writer goes on in the same entry. */
export function withEvents(before: readonly Entry[], events: readonly SessionEvent[]): readonly Entry[] {
  const entries = [...before];
  for (const event of events) {
    const next = entryOf(event);
    const last = entries.at(-1);
    if (last && goesOn(last, next)) entries[entries.length - 1] = { ...last, text: last.text + next.text };
    else entries.push(next);
  }
  return entries;
}

/** The timeline with older events before it; output goes on in the same entry where they meet. */
export function withOlderEvents(events: readonly SessionEvent[], after: readonly Entry[]): readonly Entry[] {
  const entries = withEvents([], events);
  const [last, next] = [entries.at(-1), after[0]];
  if (!last || !next || !goesOn(last, next)) return [...entries, ...after];
  return [...entries.slice(0, -1), { ...last, text: last.text + next.text }, ...after.slice(1)];
}

function entryOf({ attempt, seq, time, event }: SessionEvent): Entry {
  const key = `${attempt}.${seq}`;
  if (event.kind !== "output") {
    return { key, time, kind: kindOf(event), source: `sandbox ${attempt}`, text: eventInWords(event) };
  }
  const source = event.repository === undefined ? event.source : `${event.source} in ${event.repository}`;
  return { key, time, kind: "output", source, text: event.text };
}

function goesOn(last: Entry, next: Entry): boolean {
  const isOfOne = last.kind === "output" && next.kind === "output" && last.source === next.source;
  return isOfOne && last.text.length < longestOutput;
}

/** The newest entries that have so many characters together, at least one; a browser shows many short ones as slowly as a long one. */
export function newestEntries(entries: readonly Entry[], characters: number): readonly Entry[] {
  let left = characters;
  const tooOld = entries.findLastIndex(({ text }) => {
    left -= Math.max(text.length, leastCharacters);
    return left < 0;
  });
  return entries.slice(Math.min(tooOld + 1, entries.length - 1));
}

function kindOf(event: Exclude<SessionEvent["event"], { kind: "output" }>): Entry["kind"] {
  if (event.kind === "tool") return "tool";
  const hasFailed = event.kind === "promptFinished" && event.verdict === "failed";
  return hasFailed || event.kind === "bootFailed" || event.kind === "warning" ? "problem" : "note";
}
