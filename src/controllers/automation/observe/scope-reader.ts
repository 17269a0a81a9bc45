import { type Automation, conditionTypes, type Reason, reasons, type Target } from "../../../api/v1alpha1/index.ts";
import { findCondition } from "../../../domain/conditions.ts";
import type { ScopeSource, SecretScope } from "../../sandbox/secrets/scope.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { secrets } from "../../../kube/core-resources.ts";
import type { Clock } from "../../../lib/clock.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";
import { keyOf, keyText } from "../../../lib/resource.ts";
import { type Checked, checked, type Refusal } from "../../sandbox/refusal.ts";
import { readScope, scopeSources } from "../../sandbox/secrets/scope-secret.ts";
import { sessionSecrets } from "../../sandbox/secrets/merge.ts";
import type { KindInformers } from "../../kind-informers.ts";

export interface ScopeReaderDeps {
  client: Pick<KubeClient, "find">;
  clock: Clock;
  informers: Pick<KindInformers, "repositories" | "environments">;
}

interface Known {
  scope: Checked<SecretScope>;
  readMs: number;
}

/** How long a Secret that was read counts, as Secrets are not watched. */
const keptMs = 60_000;

/**
 * Reads how large the secrets of automations' targets are, so that an automation warns before a session fails. Many
 * automations share a scope, so what was read is kept for a while, without the secrets' values.
 */
export class ScopeReader {
  readonly #deps: ScopeReaderDeps;
  /** By Secret and what it is used for. */
  readonly #scopes = new Map<string, Known>();
  /** By automation. */
  readonly #refusals = new Map<string, Refusal | undefined>();

  constructor(deps: ScopeReaderDeps) {
    this.#deps = deps;
  }

  /** Why sessions on one of the targets would not start, by the last read. */
  known(automation: Automation): Refusal | undefined {
    const key = keyText(keyOf(automation));
    return this.#refusals.has(key) ? this.#refusals.get(key) : storedRefusal(automation);
  }

  /** Reads what is missing or too old; returns the milliseconds until the next read, 0 when the answer has changed. */
  async read(automation: Automation, signal: AbortSignal): Promise<number> {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [key, { readMs }] of this.#scopes) if (readMs + keptMs <= nowMs) this.#scopes.delete(key);
    const before = this.known(automation);
    const read = await this.#readTargets(automation, signal);
    this.#refusals.set(keyText(keyOf(automation)), read.refusal);
    return jsonEqual(read.refusal, before) ? Math.max(1, read.oldestMs + keptMs - nowMs) : 0;
  }

  forget(key: string): void {
    this.#refusals.delete(key);
  }

  async #readTargets(
    { metadata: { namespace = "" }, spec }: Automation,
    signal: AbortSignal,
  ): Promise<{ refusal: Refusal | undefined; oldestMs: number }> {
    const targets = spec.targets.length === 0 ? [{}] : spec.targets;
    let oldestMs = Infinity;
    let refusal: Refusal | undefined;
    for (const target of targets) {
      const sources = this.#sourcesOf(target, namespace);
      const read = await Promise.all(sources.map((source) => this.#scope(source, namespace, signal)));
      oldestMs = Math.min(oldestMs, ...read.map(({ readMs }) => readMs));
      refusal ??= refusalOf(read);
    }
    return { refusal, oldestMs };
  }

  /** A target that does not exist has no Secret; the session that needs it reports it. */
  #sourcesOf({ repositoryRef, environmentRef }: Partial<Target>, namespace: string): ScopeSource[] {
    const { repositories, environments } = this.#deps.informers;
    const named = (name: string, secretRef: { name: string } | undefined) => ({ name, secretRef });
    if (environmentRef) {
      const { name } = environmentRef;
      return scopeSources({ environment: named(name, environments.get({ namespace, name })?.spec.secretRef) });
    }
    const names = repositoryRef ? [repositoryRef.name] : [];
    return scopeSources({
      repositories: names.map((name) => named(name, repositories.get({ namespace, name })?.spec.secretRef)),
    });
  }

  async #scope(source: ScopeSource, namespace: string, signal: AbortSignal): Promise<Known> {
    const key = [namespace, source.kind, source.name, source.secretName].join("/");
    const known = this.#scopes.get(key);
    if (known) return known;
    const readMs = this.#deps.clock.monotonicMs();
    const secret = await this.#deps.client.find(secrets, { namespace, name: source.secretName }, { signal });
    const read = { scope: withoutValues(readScope(source, secret, namespace)), readMs };
    this.#scopes.set(key, read);
    return read;
  }
}

function refusalOf(known: readonly Known[]): Refusal | undefined {
  const scopes: SecretScope[] = [];
  for (const { scope } of known) {
    if (!scope.ok) return scope.refusal;
    scopes.push(scope.value);
  }
  const judged = sessionSecrets(scopes);
  return judged.ok ? undefined : judged.refusal;
}

const refusing: readonly string[] = [reasons.secretNotFound, reasons.invalidSecret, reasons.secretsTooLarge];

/** The answer of an earlier process counts until this one has read, or each new leader would withdraw it for a moment. */
function storedRefusal({ status }: Automation): Refusal | undefined {
  const ready = findCondition(status?.conditions, conditionTypes.ready);
  if (ready?.status !== "False" || !refusing.includes(ready.reason)) return undefined;
  // One of the three.
  return { reason: ready.reason as Reason, message: ready.message };
}

function withoutValues(scope: Checked<SecretScope>): Checked<SecretScope> {
  if (!scope.ok) return scope;
  const { label, entries } = scope.value;
  return checked({ label, entries: entries.map(({ key, bytes }) => ({ key, bytes })) });
}
