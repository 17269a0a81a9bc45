import { Automation } from "../../api/v1alpha1/index.ts";
import { pausedBecause } from "../../domain/deliveries/paused.ts";
import { TokenBucket } from "../../lib/token-bucket.ts";
import { unavailable } from "../../domain/deliveries/refusal.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { WebhookAutomation } from "../../domain/deliveries/delivery.ts";
import type { KubeClient } from "../../kube/client.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyText, parseKey, type ObjectMeta } from "../../lib/resource.ts";
import { CompiledWebhooks } from "./compiled-webhooks.ts";
import { FreshReads } from "./fresh-reads.ts";
import { readKeyHash } from "./key-hash.ts";
import { readFailure } from "./read-failure.ts";

/** A live read of an Automation and its key hash together, in milliseconds. */
const readWithinMs = 2_300;
/** Live reads for ids that the watch does not know, all together. */
const unknownIds = { perSecond: 20, burst: 20 };

export interface AutomationReaderDeps extends Pick<InformerDeps, "random" | "log" | "metrics"> {
  client: Pick<KubeClient, "find" | "list" | "watch">;
  clock: Clock;
  keysNamespace: string;
  /** Namespaces whose automations take deliveries; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
}

/**
 * Automations as they are right now. The watch only tells which ids exist, so that made-up ones cost next to nothing;
 * whatever a delivery is judged by was read live at most 1 s ago, however far behind the watch may be.
 */
export class ClusterAutomationReader {
  readonly #deps: AutomationReaderDeps;
  readonly #known: Informer<Automation>;
  readonly #compiled = new CompiledWebhooks();
  readonly #unknown = new TokenBucket();
  readonly #reads: FreshReads<WebhookAutomation | undefined>;

  constructor(deps: AutomationReaderDeps) {
    this.#deps = deps;
    this.#known = new Informer(deps, Automation, { namespaces: deps.watchNamespaces, transform: keepName });
    this.#reads = new FreshReads(deps.clock, (key, startedMs) => this.#load(key, startedMs));
  }

  /** Begins to watch which ids exist. */
  start(): void {
    this.#known.onChange(({ type, object }) => {
      if (type === "deleted") this.#compiled.forget(object.metadata.uid ?? "");
    });
    this.#known.start();
  }

  /** Calls the handler with the UID of each Automation that is gone. */
  onGone(handler: (uid: string) => void): void {
    this.#known.onChange(({ type, object }) => {
      if (type === "deleted") handler(object.metadata.uid ?? "");
    });
  }

  /** The UID of a webhook automation, as the watch last showed it; undefined where it shows none. */
  knownUid(id: NamespacedName): string | undefined {
    const known = this.#known.get(id);
    return known && takesDeliveries(known) ? known.metadata.uid : undefined;
  }

  async stop(): Promise<void> {
    await this.#known.stop();
  }

  notReadyBecause(): string | undefined {
    return this.#known.hasSynced ? undefined : "the list of automations was not read yet";
  }

  async read(id: NamespacedName): Promise<WebhookAutomation | undefined> {
    // Elsewhere there is nothing for us, and no right to look.
    const { watchNamespaces = [] } = this.#deps;
    if (watchNamespaces.length > 0 && !watchNamespaces.includes(id.namespace)) return undefined;
    return this.#reads.read(keyText(id));
  }

  async #load(text: string, readMs: number): Promise<WebhookAutomation | undefined> {
    const { client, clock } = this.#deps;
    const key = parseKey(text);
    if (!this.#known.get(key) && this.#unknown.take(unknownIds, readMs) > 0) throw unavailable("unknown-ids");
    try {
      const automation = await client.find(Automation, key, { timeoutMs: readWithinMs });
      if (!automation || !takesDeliveries(automation)) return undefined;
      const leftMs = Math.max(1, readWithinMs - (clock.monotonicMs() - readMs));
      const keyHash = await readKeyHash(this.#deps, automation.metadata.uid ?? "", leftMs);
      return this.#judged(automation, keyHash, readMs);
    } catch (error) {
      throw readFailure(error);
    }
  }

  #judged(automation: Automation, keyHash: string | undefined, readMs: number): WebhookAutomation {
    const { metadata, status } = automation;
    return {
      ...identityOf(metadata),
      pausedBecause: pausedBecause(automation),
      keyHash,
      ...this.#compiled.of(automation),
      activeRuns: status?.activeRuns ?? 0,
      lastRunName: status?.lastRun?.name,
      readMs,
    };
  }
}

/** Everything that the API server stores has all of these. */
function identityOf({ namespace = "", name = "", uid = "", generation = 0, resourceVersion = "" }: ObjectMeta) {
  return { namespace, name, uid, generation, version: resourceVersion };
}

/** Thousands of Automations with long instructions would fill the memory for a look-up of names. */
function keepName({ metadata, spec }: Automation): Automation {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const { type } = spec.trigger;
  // What is left out is never read from the cache.
  return {
    metadata: { name, namespace, uid, resourceVersion, deletionTimestamp },
    spec: { trigger: { type } },
  } as Automation;
}

/** Nothing may be created for what is being deleted. */
function takesDeliveries({ metadata, spec }: Automation): boolean {
  return metadata.deletionTimestamp === undefined && spec.trigger.type === "Webhook";
}
