import type { JSX } from "preact";

type Tone = "good" | "bad" | "warn" | "busy" | "calm";

const tones: Readonly<Record<string, Tone>> = {
  enabled: "good",
  completed: "good",
  Started: "good",
  degraded: "warn",
  paused: "warn",
  partial_failed: "warn",
  Duplicate: "calm",
  Filtered: "calm",
  failed: "bad",
  RateLimited: "bad",
  InvalidPayload: "bad",
  TooManyUnfinishedRuns: "bad",
  Throttled: "bad",
  Unavailable: "bad",
  running: "busy",
  starting: "busy",
  processing: "busy",
  active: "busy",
};

/** A state in one word, with a colour that says no more than the word. */
export function Badge({ word }: { word: string }): JSX.Element {
  return <span class={`badge ${tones[word] ?? "calm"}`}>{spaced(word)}</span>;
}

/** A word of the API for people: `execution_timeout` is `execution timeout`. */
export function spaced(word: string): string {
  return word.replaceAll("_", " ");
}
