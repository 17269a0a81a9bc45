import { z } from "zod";

/** Upper bound of each count; higher counts are reported as this one. */
export const mostRefused = 1_000;

const Count = z.int().min(1).max(mostRefused).optional();

/** A runtime's refusals of input from the agent's container since its last report. */
export const RefusedFromAgent = z.object({
  /** A line that is no message, or a message out of order. */
  malformed: Count,
  /** A line above the limit. */
  tooLarge: Count,
  /** A connection above the limit. */
  tooManyConnections: Count,
  /** A further connection that claims to be the agent's container. */
  secondAgent: Count,
  /** A cost or a number of tokens that is none, or is not credible. */
  usage: Count,
  /** A credential for a URL of none of the session's repositories. */
  credential: Count,
  /** A request to an SSH agent for anything but its key's name and logins. */
  signature: Count,
  /** An archive that no save could have written, or that is more than a workspace may be. */
  archive: Count,
});
export type RefusedFromAgent = z.infer<typeof RefusedFromAgent>;
export type RefusedKind = keyof RefusedFromAgent;
