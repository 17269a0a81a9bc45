import { Webhook, type Automation } from "../../api/v1alpha1/index.ts";
import { unavailable } from "../../domain/deliveries/refusal.ts";
import type { WebhookAutomation } from "../../domain/deliveries/delivery.ts";
import { compileFilters } from "../../domain/filters/compile.ts";

/** Settings of a webhook trigger with compiled filters. */
type CompiledWebhook = Pick<WebhookAutomation, "filters" | "rateLimit" | "maxUnfinishedRuns">;

/** Compiles each generation of an Automation once. */
export class CompiledWebhooks {
  readonly #byUid = new Map<string, { generation: number; compiled: CompiledWebhook }>();

  /** @throws Refusal `Unavailable` for settings that do not parse: to start a Run or not would be a guess */
  of({ metadata, spec }: Automation): CompiledWebhook {
    const { uid = "", generation = 0 } = metadata;
    const kept = this.#byUid.get(uid);
    if (kept?.generation === generation) return kept.compiled;
    const parsed = Webhook.safeParse(spec.trigger.webhook ?? {});
    if (!parsed.success) throw unavailable("invalid-automation", parsed.error);
    const { filters, rateLimit, maxUnfinishedRuns } = parsed.data;
    const compiled = { filters: compileFilters(filters), rateLimit, maxUnfinishedRuns };
    this.#byUid.set(uid, { generation, compiled });
    return compiled;
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }
}
