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

/** Entries that are kept; a browser shows more of them only slowly. */
export const mostEntries = 1_000;
/** Characters of one output; a longer one goes on in a further entry. */
const longestOutput = 20_000;

/** The timeline after one more event; output of the same writer goes on in the same entry. */
export function withEvent(entries: readonly Entry[], { attempt, seq, time, event }: SessionEvent): readonly Entry[] {
  const key = `${attempt}.${seq}`;
  const last = entries.at(-1);
  if (event.kind === "output") {
    const source = event.repository === undefined ? event.source : `${event.source} in ${event.repository}`;
    if (last?.kind === "output" && last.source === source && last.text.length < longestOutput) {
      return [...entries.slice(0, -1), { ...last, text: last.text + event.text }];
    }
    return [...entries, { key, time, kind: "output" as const, source, text: event.text }].slice(-mostEntries);
  }
  const entry = { key, time, kind: kindOf(event), source: `sandbox ${attempt}`, text: eventInWords(event) };
  return [...entries, entry].slice(-mostEntries);
}

function kindOf(event: Exclude<SessionEvent["event"], { kind: "output" }>): Entry["kind"] {
  if (event.kind === "tool") return "tool";
  const hasFailed = event.kind === "promptFinished" && event.verdict === "failed";
  return hasFailed || event.kind === "bootFailed" || event.kind === "warning" ? "problem" : "note";
}
