import {
  Automation,
  type GitHubEventType,
  isPostedType,
  keySecretName,
  labels,
  triggeringIntegrationName,
} from "../../api/v1alpha1/index.ts";
import { pausedBecause } from "../../domain/deliveries/not-started.ts";
import { TokenBucket } from "../../lib/token-bucket.ts";
import { Refusal, unavailable } from "../../domain/deliveries/refusal.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { DeliveryEndpoint } from "../../domain/deliveries/delivery.ts";
import { storedKeyHash } from "../../domain/keys.ts";
import { storedSigningSecrets } from "../../domain/deliveries/signing-secrets.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { KubeError } from "../../kube/errors.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyText, parseKey, type ObjectMeta } from "../../lib/resource.ts";
import { compileAuthentication, CompiledTriggers } from "./compiled-triggers.ts";
import { FreshReads } from "./fresh-reads.ts";
import { WantedValues } from "./wanted-values.ts";

/** Timeout of the live reads of an Automation and its key hash together, in milliseconds. */
const readWithinMs = 2_300;
/** Rate limit of live reads for ids that the watch has not seen, for all senders together. */
const unknownIds = { perSecond: 20, burst: 20 };

export interface AutomationReaderDeps extends Pick<InformerDeps, "random" | "log" | "metrics"> {
  client: Pick<KubeClient, "find" | "list" | "watch">;
  clock: Clock;
  keysNamespace: string;
  /** Namespaces whose automations take deliveries; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
}

/**
 * Reads Automations from the API server, at most 1 s before use, however far behind the watch is. The watch only shows
 * which ids exist, so that made-up ids cost next to nothing.
 */
export class ClusterAutomationReader {
  readonly #deps: AutomationReaderDeps;
  readonly #known: Informer<Automation>;
  readonly #compiled = new CompiledTriggers();
  readonly #unknown = new TokenBucket();
  readonly #reads: FreshReads<DeliveryEndpoint | undefined>;
  readonly #events = new WantedValues<GitHubEventType>();
  readonly #channels = new WantedValues<string>();

  constructor(deps: AutomationReaderDeps) {
    this.#deps = deps;
    this.#known = new Informer(deps, Automation, {
      namespaces: deps.watchNamespaces,
      transform: keepIdentity,
    });
    this.#known.onChange(({ type, object, old }) => {
      if (old) this.#count(old, "remove");
      if (type !== "deleted") this.#count(object, "add");
    });
    this.#reads = new FreshReads(deps.clock, (key, startedMs) => this.#load(key, startedMs));
  }

  /** Starts to watch which ids exist. */
  start(): void {
    this.onDeleted((uid) => this.#compiled.forget(uid));
    this.#known.start();
  }

  /** Calls the handler with the UID of each deleted Automation. */
  onDeleted(handler: (uid: string) => void): void {
    this.#known.onChange(({ type, object }) => {
      if (type === "deleted") handler(object.metadata.uid ?? "");
    });
  }

  /** UID of an Automation that takes deliveries, by the watch, which may be behind; undefined where the watch has none. */
  knownUid(id: NamespacedName): string | undefined {
    const known = this.#known.get(id);
    return known && takesDeliveries(known) ? known.metadata.uid : undefined;
  }

  /** Events of GitHub's that Automations want of an Integration, by the watch, which may be behind. */
  wantedEvents(integration: NamespacedName | ObjectMeta): ReadonlySet<GitHubEventType> {
    return this.#events.of(integrationKey(integration));
  }

  /** Channels of Slack's whose messages Automations want of an Integration, by the watch, which may be behind. */
  wantedChannels(integration: NamespacedName | ObjectMeta): ReadonlySet<string> {
    return this.#channels.of(integrationKey(integration));
  }

  #count({ metadata, spec: { trigger } }: Automation, change: "add" | "remove"): void {
    const name = triggeringIntegrationName(trigger);
    if (name === undefined || metadata.deletionTimestamp !== undefined) return;
    const key = integrationKey({ namespace: metadata.namespace, name });
    this.#events[change](key, trigger.github?.events ?? []);
    this.#channels[change](key, trigger.slack?.channels ?? []);
  }

  async stop(): Promise<void> {
    await this.#known.stop();
  }

  /** Why reads cannot be served yet, for readiness; undefined when they can. */
  notReadyBecause(): string | undefined {
    return this.#known.hasSynced ? undefined : "the list of automations was not read yet";
  }

  /**
   * The Automation and its key as they were at most 1 s ago; undefined where there is none or its trigger takes no
   * deliveries. Rejects with a Refusal `Unavailable` within 2.3 s when there is no answer.
   */
  async read(id: NamespacedName): Promise<DeliveryEndpoint | undefined> {
    // The ingress has no permission to read other namespaces.
    const { watchNamespaces = [] } = this.#deps;
    if (watchNamespaces.length > 0 && !watchNamespaces.includes(id.namespace)) return undefined;
    return this.#reads.read(keyText(id));
  }

  async #load(text: string, readMs: number): Promise<DeliveryEndpoint | undefined> {
    const { client, clock } = this.#deps;
    const key = parseKey(text);
    if (!this.#known.get(key) && this.#unknown.take(unknownIds, readMs) > 0) throw unavailable("unknown-ids");
    try {
      const automation = await client.find(Automation, key, { timeoutMs: readWithinMs });
      if (!automation || !takesDeliveries(automation)) return undefined;
      const leftMs = Math.max(1, readWithinMs - (clock.monotonicMs() - readMs));
      const secret = await this.#readSecret(automation.metadata.uid ?? "", leftMs);
      return this.#endpoint(automation, secret, readMs);
    } catch (error) {
      throw readFailure(error);
    }
  }

  /** Undefined when there is none for this UID. */
  async #readSecret(automationUid: string, timeoutMs: number): Promise<Secret | undefined> {
    const { client, keysNamespace } = this.#deps;
    const key = { namespace: keysNamespace, name: keySecretName(automationUid) };
    const secret = await client.find(secrets, key, { timeoutMs });
    const isOwn = secret?.metadata.labels?.[labels.automationUid] === automationUid;
    return isOwn ? secret : undefined;
  }

  #endpoint(automation: Automation, secret: Secret | undefined, readMs: number): DeliveryEndpoint {
    const { metadata, spec, status } = automation;
    const identity = identityOf(metadata);
    const { namespace, name, uid } = identity;
    const isTracker = spec.trigger.type === "ErrorTracker";
    const signingSecrets = storedSigningSecrets(secret);
    const webhook = {
      ...{ namespace, name, uid, signingSecrets },
      type: "Webhook",
      authentication: compileAuthentication(spec.trigger),
      keyHash: storedKeyHash(secret),
    } as const;
    const tracker = { namespace, name, uid, signingSecrets, type: "ErrorTracker" } as const;
    const compiled = this.#compiled.of(automation);
    if (compiled instanceof Refusal) return { ...(isTracker ? tracker : webhook), automation: compiled };
    const facts = {
      ...identity,
      pausedBecause: pausedBecause(automation),
      activeRuns: status?.activeRuns ?? 0,
      lastRunName: status?.lastRun?.name,
      readMs,
    };
    if (compiled.type === "ErrorTracker") return { ...tracker, automation: { ...facts, ...compiled } };
    return { ...webhook, automation: { ...facts, ...compiled } };
  }
}

/** Every stored object has all of these fields. */
function identityOf({ namespace = "", name = "", uid = "", generation = 0, resourceVersion = "" }: ObjectMeta) {
  return { namespace, name, uid, generation, version: resourceVersion };
}

function integrationKey({ namespace, name = "" }: NamespacedName | ObjectMeta): string {
  return keyText({ namespace, name });
}

/** Keeps what identifies an Automation: thousands of them with long instructions would fill the memory. */
function keepIdentity({ metadata, spec }: Automation): Automation {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const { type, github, slack } = spec.trigger;
  const trigger = {
    type,
    ...(github && { github: { integrationRef: github.integrationRef, events: github.events } }),
    ...(slack && { slack: { integrationRef: slack.integrationRef, channels: slack.channels } }),
  };
  // The omitted fields are never read from the cache.
  return { metadata: { name, namespace, uid, resourceVersion, deletionTimestamp }, spec: { trigger } } as Automation;
}

/** Whether deliveries may start Runs; not while the Automation is being deleted. */
function takesDeliveries({ metadata, spec }: Automation): boolean {
  return metadata.deletionTimestamp === undefined && isPostedType(spec.trigger.type);
}

/** The refusal for a failed read of the API server; its cause is one of a closed set. */
export function readFailure(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof KubeError)) return unavailable("bug", error);
  if (error.reason === "Timeout") return unavailable("read-timeout", error);
  if (error.status === 0) return unavailable("read-no-answer", error);
  return unavailable(error.status === 429 ? "read-throttled" : "read-refused", error);
}
