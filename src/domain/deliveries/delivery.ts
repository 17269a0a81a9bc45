import type { CompiledFilters } from "../filters/compile.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { BucketLimits } from "../../lib/token-bucket.ts";

/** Whose log a delivery belongs into. */
export interface LoggedAutomation extends NamespacedName {
  uid: string;
}

/** All of an Automation that a delivery is judged by, as one live read showed it. */
export interface WebhookAutomation extends LoggedAutomation {
  generation: number;
  /** Resource version. */
  version: string;
  /** Why deliveries start nothing, in a sentence; undefined while they do. */
  pausedBecause: string | undefined;
  /** Lower-case hexadecimal SHA-256 of the key; without one no key is right. */
  keyHash: string | undefined;
  filters: CompiledFilters;
  rateLimit: BucketLimits;
  maxUnfinishedRuns: number;
  /** Unfinished Runs as the controller last counted them. */
  activeRuns: number;
  /** The newest Run of that count. */
  lastRunName: string | undefined;
  /** Monotonic milliseconds at which the read began: all of this is at least as new. */
  readMs: number;
}

/** One delivery that is to become a Run. */
export interface Delivery {
  id: string;
  /** When the request arrived. */
  receivedAt: Date;
  /** The body as received. */
  payload: string;
  idempotencyKey: string | undefined;
  /** Where the delivery is in a trace, where there is one. */
  traceparent?: string | undefined;
  /** Monotonic milliseconds by which the sender must have an answer. */
  deadlineMs: number;
}
