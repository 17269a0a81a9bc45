import { fenced } from "../domain/prompts/fenced.ts";

/** The longest run of back-ticks that a prompt shows of what people wrote: a fence is longer, and counts towards the prompt's length. */
const longestRun = 20;

/** A block of what people wrote, which it cannot close; at most 45 characters longer than the text. */
export function quoted(text: string): string {
  return fenced(text.replaceAll(new RegExp(`\`{${longestRun},}`, "g"), "`".repeat(longestRun)));
}
