import { z } from "zod";

/** The most that one report says of a kind; more than that is this much. */
export const mostRefused = 1_000;

const Count = z.int().min(1).max(mostRefused).optional();

/** What a runtime has refused of its agent's container since its last report. */
export const RefusedFromAgent = z.object({
  /** A line that is no message, or a message out of place. */
  malformed: Count,
  /** A line beyond its limit. */
  tooLarge: Count,
  /** A connection above the number that there may be at once. */
  tooManyConnections: Count,
  /** Somebody who said to be the agent's container after that had come. */
  secondAgent: Count,
});
export type RefusedFromAgent = z.infer<typeof RefusedFromAgent>;
export type RefusedKind = keyof RefusedFromAgent;
