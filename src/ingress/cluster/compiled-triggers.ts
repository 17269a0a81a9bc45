import {
  type Automation,
  ErrorTracker,
  type Trigger,
  Webhook,
  WebhookAuthentication,
} from "../../api/v1alpha1/index.ts";
import { type Authentication, authenticationOf } from "../../domain/deliveries/authentication.ts";
import { idempotencyKeyReader } from "../../domain/deliveries/idempotency-key.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import type {
  DeliveryAutomation,
  ErrorTrackerAutomation,
  WebhookAutomation,
} from "../../domain/deliveries/delivery.ts";
import { compileFilters } from "../../domain/filters/compile.ts";

type Limits = Pick<DeliveryAutomation, "requestRateLimit" | "rateLimit" | "maxUnfinishedRuns">;
/** Settings of a trigger that takes deliveries, with compiled filters. */
export type CompiledTrigger =
  | (Limits & Pick<WebhookAutomation, "filters" | "idempotencyKey"> & { type: "Webhook" })
  | (Limits & Pick<ErrorTrackerAutomation, "conditions"> & { type: "ErrorTracker" });

/** Compiles each readable generation of an Automation once. */
export class CompiledTriggers {
  readonly #byUid = new Map<string, { generation: number; compiled: CompiledTrigger }>();

  /** A Refusal `Unavailable` for settings that do not parse. */
  of({ metadata, spec }: Automation): CompiledTrigger | Refusal {
    const { uid = "", generation = 0 } = metadata;
    const kept = this.#byUid.get(uid);
    if (kept?.generation === generation) return kept.compiled;
    const compiled = compile(spec.trigger);
    if (!(compiled instanceof Refusal)) this.#byUid.set(uid, { generation, compiled });
    return compiled;
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }
}

function compile({ type, webhook, errorTracker }: Trigger): CompiledTrigger | Refusal {
  if (type === "ErrorTracker") {
    const { data, error } = ErrorTracker.safeParse(errorTracker);
    return data ? { type, conditions: data, ...limitsOf(data) } : unreadable(error);
  }
  const { data, error } = Webhook.safeParse(webhook ?? {});
  if (!data) return unreadable(error);
  const idempotencyKey = idempotencyKeyReader(data.idempotencyKeyFrom);
  return { type: "Webhook", filters: compileFilters(data.filters), idempotencyKey, ...limitsOf(data) };
}

/** How senders of a webhook prove whose a request is, also where other settings do not parse. */
export function compileAuthentication({ webhook }: Trigger): Authentication | Refusal {
  const { data, error } = WebhookAuthentication.safeParse(webhook?.authentication ?? {});
  return data ? authenticationOf(data) : unreadable(error);
}

function limitsOf({ requestRateLimit: requests, rateLimit, maxUnfinishedRuns }: Limits): Limits {
  const requestRateLimit = {
    perSecond: Math.max(requests.perSecond, rateLimit.perSecond),
    burst: Math.max(requests.burst, rateLimit.burst),
  };
  return { requestRateLimit, rateLimit, maxUnfinishedRuns };
}

/** A retry only succeeds after a person changed the Automation, so it is asked for at a longer interval. */
function unreadable(error: Error): Refusal {
  const message = "The automation's stored settings cannot be read; its condition Ready says which field";
  return new Refusal({ code: "Unavailable", message, cause: "invalid-automation", retryAfterSeconds: 60, error });
}
