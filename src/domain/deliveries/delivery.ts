import type { Matcher } from "../filters/index.ts";
import type { AutomationId } from "./automation-id.ts";
import type { BucketLimits } from "./token-bucket.ts";

/** All of an Automation that a delivery is judged by, as one live read showed it. */
export interface WebhookAutomation extends AutomationId {
  uid: string;
  generation: number;
  /** Resource version. */
  version: string;
  /** By hand or by failures. */
  paused: boolean;
  /** Lower-case hexadecimal SHA-256 of the key; without one no key is right. */
  keyHash: string | undefined;
  matches: Matcher;
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
  /** Monotonic milliseconds by which the sender must have an answer. */
  deadlineMs: number;
}
