import type { Attempt } from "../attempts/attempt.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { Bundles } from "../attempts/bundles.ts";
import type { Journal, JournalUser } from "../events/journal.ts";
import type { AttemptLeases } from "../attempts/leases.ts";
import type { Prompts } from "./prompts.ts";

/** Dependencies of connections. */
export interface ConnectionDeps {
  clock: Clock;
  logger: Logger;
  metrics: GatewayMetrics;
  /** Whose policies the gateway's writes have to pass. */
  release: { name: string; namespace: string };
  leases: Pick<AttemptLeases, "claim">;
  bundles: Pick<Bundles, "read">;
  prompts: Pick<Prompts, "content" | "settle">;
  /** What runtimes may send or ask for that gateways of earlier versions do not know. */
  accepts: readonly string[];
  /** Opens the journal of one connection. */
  openJournal: (user: JournalUser) => Journal;
  /** Starts sending the saved workspace to the attempt's runtime. */
  restore: (attempt: Attempt, isRefused: boolean) => void;
  /** Whether the session's cost, or that of its family, has a limit. */
  hasCostLimit: (uid: string) => boolean;
  /** The session in the cache; undefined when it was deleted. */
  session: (uid: string) => AttemptOwner | undefined;
}
