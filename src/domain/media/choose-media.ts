import { mediaLimits } from "../../api/v1alpha1/prompt-media.ts";

/** A file that an agent attached. */
export interface Attached {
  /** The same for the same content. */
  id: string;
  bytes: number;
}

/**
 * Which files of an answer are sent: repeated ones count once, the first 5 are taken, and only then their sizes are looked at. A
 * file over 10 MiB is left out, as is one with which the answer would have more than 25 MiB; later, smaller ones may still fit.
 */
export function chooseMedia<T extends Attached>(files: readonly T[]): { sent: T[]; leftOut: number } {
  const different = files.filter(({ id }, at) => files.findIndex((one) => one.id === id) === at);
  const sent: T[] = [];
  let bytes = 0;
  for (const file of different.slice(0, mediaLimits.perPrompt)) {
    if (file.bytes > mediaLimits.bytes || bytes + file.bytes > mediaLimits.allBytes) continue;
    sent.push(file);
    bytes += file.bytes;
  }
  return { sent, leftOut: different.length - sent.length };
}
