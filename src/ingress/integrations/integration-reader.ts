import { Integration, integrationSecretName, labels } from "../../api/v1alpha1/index.ts";
import { Refusal, unavailable } from "../../domain/deliveries/refusal.ts";
import { storedSigningSecrets } from "../../domain/deliveries/signing-secrets.ts";
import type { KubeClient } from "../../kube/client.ts";
import { secrets } from "../../kube/core-resources.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { keyText, parseKey } from "../../lib/resource.ts";
import { TokenBucket } from "../../lib/token-bucket.ts";
import { readFailure } from "../cluster/automation-reader.ts";
import { FreshReads } from "../cluster/fresh-reads.ts";

/** Timeout of the live reads of an Integration and its signing secrets together, in milliseconds. */
const readWithinMs = 2_300;
/** Rate limit of live reads for ids that the watch has not seen, for all senders together. */
const unknownIds = { perSecond: 20, burst: 20 };

export interface IntegrationReaderDeps extends Pick<InformerDeps, "random" | "log" | "metrics"> {
  client: Pick<KubeClient, "find" | "list" | "watch">;
  clock: Clock;
  keysNamespace: string;
  /** Namespaces whose Integrations take events; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
}

/** An Integration with the secrets that are valid, the current one first; empty where none is set. */
export interface IntegrationEndpoint {
  integration: Integration;
  signingSecrets: readonly string[];
}

/** Reads Integrations and their signing secrets from the API server, at most 1 s before use. */
export class IntegrationReader {
  readonly #deps: IntegrationReaderDeps;
  readonly #known: Informer<Integration>;
  readonly #unknown = new TokenBucket();
  readonly #reads: FreshReads<IntegrationEndpoint | undefined>;

  constructor(deps: IntegrationReaderDeps) {
    this.#deps = deps;
    this.#known = new Informer(deps, Integration, { namespaces: deps.watchNamespaces, transform: keepIdentity });
    this.#reads = new FreshReads(deps.clock, (key, startedMs) => this.#load(key, startedMs));
  }

  start(): void {
    this.#known.start();
  }

  async stop(): Promise<void> {
    await this.#known.stop();
  }

  notReadyBecause(): string | undefined {
    return this.#known.hasSynced ? undefined : "the list of integrations was not read yet";
  }

  /** Undefined where there is none. Rejects with a Refusal `Unavailable` within 2.3 s when there is no answer. */
  async read(id: NamespacedName): Promise<IntegrationEndpoint | undefined> {
    const { watchNamespaces = [] } = this.#deps;
    if (watchNamespaces.length > 0 && !watchNamespaces.includes(id.namespace)) return undefined;
    return this.#reads.read(keyText(id));
  }

  async #load(text: string, readMs: number): Promise<IntegrationEndpoint | undefined> {
    const { client } = this.#deps;
    const key = parseKey(text);
    if (!this.#known.get(key) && this.#unknown.take(unknownIds, readMs) > 0) throw unavailable("unknown-ids");
    try {
      const stored = await client.find(Integration, key, { timeoutMs: readWithinMs });
      if (!stored || stored.metadata.deletionTimestamp !== undefined) return undefined;
      const signingSecrets = await this.#readSecrets(stored.metadata.uid ?? "", readMs);
      return { integration: parsed(stored), signingSecrets };
    } catch (error) {
      throw readFailure(error);
    }
  }

  async #readSecrets(uid: string, readMs: number): Promise<string[]> {
    const { client, clock, keysNamespace } = this.#deps;
    const timeoutMs = Math.max(1, readWithinMs - (clock.monotonicMs() - readMs));
    const secret = await client.find(
      secrets,
      { namespace: keysNamespace, name: integrationSecretName(uid) },
      { timeoutMs },
    );
    const isOwn = secret?.metadata.labels?.[labels.integrationUid] === uid;
    return isOwn ? storedSigningSecrets(secret) : [];
  }
}

/** @throws Refusal where an earlier version stored what this one cannot read. */
function parsed(integration: Integration): Integration {
  const { data, error } = Integration.schema.safeParse(integration);
  if (data) return { ...integration, spec: data.spec };
  const message = "The integration's stored settings cannot be read; its condition Ready says which field";
  throw new Refusal({ code: "Unavailable", message, cause: "invalid-integration", retryAfterSeconds: 60, error });
}

function keepIdentity({ metadata }: Integration): Integration {
  const { name, namespace, uid, resourceVersion } = metadata;
  // The omitted fields are never read from the cache.
  return { metadata: { name, namespace, uid, resourceVersion } } as Integration;
}
