import { plainText } from "../../../src/api/runtime/text.ts";

/** A line of the demo's output with when it came, in seconds since the first one. */
export interface Frame {
  text: string;
  at: number;
}

const stamp = /^\[ *(\d+\.\d)s\] {0,3}/;
/** What the narrator repeats while a step goes on. */
const tick = /: \d+ s(, .*)?$/;
/** An API key: of a cluster that is gone, but programs that look for secrets in repositories do not know that. */
const key = /(?<![\w-])[\w-]{43}(?![\w-])/g;
const longestPause = 1.2;
const shortestPause = 0.06;

/**
 * The lines that a recording shows. Each comes when its time stamp says, but after a pause of at most 1.2 s, so that waiting is not
 * shown as long as it was; a line without a stamp comes right after the one before. Stamps stay, as they have the true times.
 */
export function framesOf(output: string): Frame[] {
  const frames: Frame[] = [];
  let before = 0;
  let at = 0;
  for (const text of plainText(output, Infinity)
    .trim()
    .replaceAll("\t", "  ")
    .replaceAll(key, "(the key)")
    .split("\n")) {
    if (tick.test(text)) continue;
    const seconds = Number(stamp.exec(text)?.[1] ?? before);
    at += Math.min(Math.max(seconds - before, shortestPause), longestPause);
    before = Math.max(seconds, before);
    frames.push({ text, at: Math.round(at * 100) / 100 });
  }
  return frames;
}
