import type { Integration } from "../../api/v1alpha1/index.ts";
import { Controller, type ControllerDeps } from "../../kube/controller.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";
import type { ConnectorInformers } from "../informers.ts";
import { ProviderError } from "../provider-error.ts";
import { type Delivery, listDeliveries, redeliver } from "./calls.ts";
import { failedDeliveries } from "./failed-deliveries.ts";
import type { GitHubApi } from "./github-api.ts";
import { mayLook } from "./may-look.ts";

interface RedeliveriesDeps {
  clock: Pick<Clock, "now">;
  github: Pick<GitHubApi, "callAsApp">;
}

/** When the last look at an Integration's deliveries began, and the last one that did not fail. */
interface Look {
  beganMs: number;
  endedWellMs: number | undefined;
}

const everyMs = 600_000;
/** GitHub keeps deliveries for 3 days. */
const keptMs = 259_200_000;
/** Deliveries of the time before the last look are looked at again: a try may have failed since. */
const overlapMs = 1_800_000;
const perPage = 100;
/** Bounds one look at an App with many events. */
const mostPages = 50;

/** Has GitHub send failed deliveries again every 10 minutes, which it never does by itself. */
export function redeliveryController(
  deps: ControllerDeps & RedeliveriesDeps & { informers: Pick<ConnectorInformers, "integrations"> },
): Controller {
  const { informers } = deps;
  const redeliveries = new Redeliveries(deps);
  const controller = new Controller(deps, {
    name: "redelivery",
    concurrency: 2,
    reconciler: {
      async reconcile(key): Promise<Outcome> {
        const integration = informers.integrations.get(key);
        if (!integration) redeliveries.forget(key);
        if (!integration?.spec.github || integration.spec.suspend || !mayLook(integration)) return done;
        return requeueAfter(await redeliveries.look(integration));
      },
    },
  });
  controller.watch(informers.integrations, { keysOf: (integration) => [keyOf(integration)] });
  return controller;
}

/**
 * Looks for deliveries that failed: of the last 3 days at first, then of the time since the last look. What was taken before is
 * known by its delivery's id, so that one too many does nothing.
 */
export class Redeliveries {
  readonly #deps: RedeliveriesDeps;
  readonly #looks = new Map<string, Look>();

  constructor(deps: RedeliveriesDeps) {
    this.#deps = deps;
  }

  /** Looks if that is due; gives the milliseconds until the next look. */
  async look(integration: Integration): Promise<number> {
    const key = keyText(keyOf(integration));
    const nowMs = this.#deps.clock.now().getTime();
    const { beganMs, endedWellMs } = this.#looks.get(key) ?? {};
    if (beganMs !== undefined && nowMs - beganMs < everyMs) return everyMs - (nowMs - beganMs);
    const sinceMs = endedWellMs === undefined ? nowMs - keptMs : endedWellMs - overlapMs;
    const isWell = await this.#redeliverFailed(integration, sinceMs).then(() => true, isOfProvider);
    this.#looks.set(key, { beganMs: nowMs, endedWellMs: isWell ? nowMs : endedWellMs });
    return everyMs;
  }

  /** Drops what is kept of an Integration that is deleted: one of its name is looked at from the beginning. */
  forget(key: ObjectKey): void {
    this.#looks.delete(keyText(key));
  }

  /** @throws ProviderError */
  async #redeliverFailed(integration: Integration, sinceMs: number): Promise<void> {
    const { github } = this.#deps;
    const deliveries = await this.#deliveriesSince(integration, sinceMs);
    for (const { id } of failedDeliveries(deliveries, integration.spec.github?.installationID ?? 0)) {
      await github.callAsApp(integration, redeliver(id)).catch((error: unknown) => {
        // GitHub has no more of it.
        if (!(error instanceof ProviderError) || error.failure !== "refused") throw error;
      });
    }
  }

  async #deliveriesSince(integration: Integration, sinceMs: number): Promise<Delivery[]> {
    const found: Delivery[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const { data, next } = await this.#deps.github.callAsApp(integration, listDeliveries(perPage, cursor));
      found.push(...data);
      const oldest = data.at(-1);
      if (next === undefined || !oldest || Date.parse(oldest.delivered_at) < sinceMs) break;
      cursor = next;
    }
    return found.filter(({ delivered_at: time }) => Date.parse(time) >= sinceMs);
  }
}

/** False where GitHub did not answer, which the Integration's connection says. */
function isOfProvider(error: unknown): false {
  if (error instanceof ProviderError) return false;
  throw error;
}
