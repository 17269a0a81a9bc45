import type { ErrorTracker, PostedType } from "../../api/v1alpha1/index.ts";
import type { CompiledFilters } from "../filters/compile.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { BucketLimits } from "../../lib/token-bucket.ts";
import type { Authentication } from "./authentication.ts";
import type { IdempotencyKeyReader } from "./idempotency-key.ts";
import type { Refusal } from "./refusal.ts";

/** The automation whose log records a delivery. */
export interface LoggedAutomation extends NamespacedName {
  uid: string;
}

/** What a URL for deliveries leads to, from one live read. */
export type DeliveryEndpoint = WebhookEndpoint | ErrorTrackerEndpoint;

export interface WebhookEndpoint extends LoggedAutomation {
  type: "Webhook";
  /** How senders prove whose a request is; a refusal where the stored setting does not parse. */
  authentication: Authentication | Refusal;
  /** Lower-case hexadecimal SHA-256 of the key; without one no key matches. */
  keyHash: string | undefined;
  /** Secrets of which one must have signed; without one no signature is right. */
  signingSecrets: readonly string[];
  /** A refusal where the stored Automation does not parse: to start a Run or not would be a guess. */
  automation: WebhookAutomation | Refusal;
}

export interface ErrorTrackerEndpoint extends LoggedAutomation {
  type: "ErrorTracker";
  /** Secrets of which one must have signed; with none, no delivery is taken. */
  signingSecrets: readonly string[];
  /** As for webhooks. */
  automation: ErrorTrackerAutomation | Refusal;
}

export interface WebhookAutomation extends DeliveryAutomation {
  type: "Webhook";
  filters: CompiledFilters;
  idempotencyKey: IdempotencyKeyReader;
}

export interface ErrorTrackerAutomation extends DeliveryAutomation {
  type: "ErrorTracker";
  conditions: Pick<ErrorTracker, "events" | "projects" | "levels">;
}

/** What checks of a delivery need of an Automation. */
export interface DeliveryAutomation extends LoggedAutomation {
  type: PostedType;
  generation: number;
  /** Resource version. */
  version: string;
  /** Why deliveries start nothing, in a sentence; undefined while they do. */
  pausedBecause: string | undefined;
  /** Limit of requests that prove whose they are. */
  requestRateLimit: BucketLimits;
  /** Limit of Runs started. */
  rateLimit: BucketLimits;
  maxUnfinishedRuns: number;
  /** Unfinished Runs as the controller last counted them. */
  activeRuns: number;
  /** The newest Run of that count. */
  lastRunName: string | undefined;
  /** Monotonic milliseconds at the start of the read. */
  readMs: number;
}

/** A delivery that becomes a Run. */
export interface Delivery {
  id: string;
  /** When the request arrived. */
  receivedAt: Date;
  /** What the Run keeps: a webhook's body as received, or the projection of an event. */
  payload: string;
  idempotencyKey: string | undefined;
  /** Parent of the spans of its Run; absent where traces are not wanted. */
  traceparent?: string | undefined;
  /** Monotonic milliseconds by which the sender must be answered. */
  deadlineMs: number;
}
