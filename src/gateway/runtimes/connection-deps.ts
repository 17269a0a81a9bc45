import type { Attempt } from "../attempts/attempt.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { BundlePort } from "../attempts/bundles.ts";
import type { JournalPort } from "./journals.ts";
import type { AttemptLeasePort } from "../attempts/leases.ts";
import type { PromptPort } from "./prompts.ts";

/** What connections of runtimes work with. */
export interface ConnectionDeps {
  clock: Clock;
  logger: Logger;
  metrics: GatewayMetrics;
  leases: AttemptLeasePort;
  bundles: BundlePort;
  prompts: PromptPort;
  journals: JournalPort;
  /** Sends the attempt's runtime the workspace that was saved. */
  restore: (attempt: Attempt) => void;
  /** The session as the cache has it; undefined when it is gone. */
  session: (uid: string) => Session | undefined;
}
