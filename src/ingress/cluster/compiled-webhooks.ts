import { Webhook, type Automation } from "../../api/v1alpha1/index.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import type { WebhookAutomation } from "../../domain/deliveries/delivery.ts";
import { compileFilters } from "../../domain/filters/compile.ts";

/** Settings of a webhook trigger with compiled filters. */
type CompiledWebhook = Pick<WebhookAutomation, "filters" | "requestRateLimit" | "rateLimit" | "maxUnfinishedRuns">;

/** Compiles each readable generation of an Automation once. */
export class CompiledWebhooks {
  readonly #byUid = new Map<string, { generation: number; compiled: CompiledWebhook }>();

  /** A Refusal `Unavailable` for settings that do not parse. */
  of({ metadata, spec }: Automation): CompiledWebhook | Refusal {
    const { uid = "", generation = 0 } = metadata;
    const kept = this.#byUid.get(uid);
    if (kept?.generation === generation) return kept.compiled;
    const parsed = Webhook.safeParse(spec.trigger.webhook ?? {});
    if (!parsed.success) return unreadable(parsed.error);
    const { filters, requestRateLimit: requests, rateLimit, maxUnfinishedRuns } = parsed.data;
    const requestRateLimit = {
      perSecond: Math.max(requests.perSecond, rateLimit.perSecond),
      burst: Math.max(requests.burst, rateLimit.burst),
    };
    const compiled = { filters: compileFilters(filters), requestRateLimit, rateLimit, maxUnfinishedRuns };
    this.#byUid.set(uid, { generation, compiled });
    return compiled;
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }
}

/** A retry only succeeds after a person changed the Automation, so it is asked for at a longer interval. */
function unreadable(error: Error): Refusal {
  const message = "The automation's stored settings cannot be read; its condition Ready says which field";
  return new Refusal({ code: "Unavailable", message, cause: "invalid-automation", retryAfterSeconds: 60, error });
}
