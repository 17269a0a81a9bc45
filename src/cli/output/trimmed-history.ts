import { z } from "zod";

/** Up to where a budget of the archive took history away, and that in words. Gateways of earlier versions do not say it. */
export const TrimmedHistory = z.array(z.looseObject({ since: z.number(), message: z.string() })).default([]);
export type TrimmedHistory = z.output<typeof TrimmedHistory>;

/** What is said below a list that shows all that there is since an instant. */
export function trimmedNotes(trimmed: TrimmedHistory, sinceMs: number): string[] {
  return trimmed.filter(({ since }) => since >= sinceMs).map(({ message }) => message);
}
