import type { Attempt } from "../attempts/attempt.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { BundlePort } from "../attempts/bundles.ts";
import type { JournalPort } from "./journals.ts";
import type { AttemptLeasePort } from "../attempts/leases.ts";
import type { PromptPort } from "./prompts.ts";

/** Dependencies of connections. */
export interface ConnectionDeps {
  clock: Clock;
  logger: Logger;
  metrics: GatewayMetrics;
  leases: AttemptLeasePort;
  bundles: BundlePort;
  prompts: PromptPort;
  journals: JournalPort;
  /** Starts sending the saved workspace to the attempt's runtime. */
  restore: (attempt: Attempt) => void;
  /** The session in the cache; undefined when it was deleted. */
  session: (uid: string) => Session | undefined;
}
