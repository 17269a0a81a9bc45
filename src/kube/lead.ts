import type { KubeLog } from "./ports.ts";
import type { LeaderElection } from "./leader-election.ts";

interface Leading {
  /** Ends the campaign. */
  signal: AbortSignal;
  /** Begins the work of the leader. */
  begin: () => Promise<unknown>;
  log: Pick<KubeLog, "error">;
}

/**
 * Campaigns, and begins to work once this process leads. Resolves with why the process must end: it led and may no longer be sure
 * that it does, or its work could not begin. Never rejects.
 */
export function lead(
  election: Pick<LeaderElection, "campaign" | "lost">,
  { signal, begin, log }: Leading,
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  void election.lost.then(() => resolve("leadership was lost"));
  election
    .campaign(signal)
    .then((isLeader) => (isLeader ? begin() : undefined))
    .catch((error: unknown) => {
      log.error({ err: error }, "The leader could not begin to work");
      resolve("the leader could not begin to work");
    });
  return promise;
}
