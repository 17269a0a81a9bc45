import type { AutomationId, Delivery, WebhookAutomation } from "../domain/deliveries/index.ts";

/** Tells what an Automation is right now. */
export interface AutomationReader {
  /**
   * As read live at most 1 s ago; undefined where there is none or its trigger is no webhook. Rejects with a Refusal
   * `Unavailable` within 2.3 s when that cannot be known.
   */
  read(id: AutomationId): Promise<WebhookAutomation | undefined>;
  /** Why reads cannot be answered yet, for readiness; undefined when they can. */
  notReadyBecause(): string | undefined;
}

/** Keeps accepted deliveries. */
export interface RunWriter {
  /**
   * Resolves when the delivery's Run is stored: `triggered` for a new one, `skipped` when its idempotency key has one
   * already. Rejects with a Refusal before the delivery's deadline in every other case.
   */
  create(automation: WebhookAutomation, delivery: Delivery): Promise<"triggered" | "skipped">;
}

/** What is told of each request on the webhook path; for the access log and metrics. */
export interface AnswerFacts {
  deliveryId: string;
  method: string;
  /** 0 = the sender had gone. */
  status: number;
  /** A verdict on a delivery, a refusal's code, or `SenderGone`. */
  outcome: string;
  /** A refusal's cause, where it has one. */
  cause?: string | undefined;
  /** `namespace.name`, where the request had a well-formed one. */
  automation?: string | undefined;
  bytes: number;
  durationMs: number;
  /** Of the answers that are our fault. */
  error?: unknown;
}

export interface AnswerObserver {
  answered(facts: AnswerFacts): void;
}
