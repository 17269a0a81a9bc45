import {
  type Automation,
  isPostedType,
  keyHashDataKey,
  keySecretName,
  signingSecretDataKeys,
} from "../../../api/v1alpha1/index.ts";
import { authenticationOf } from "../../../domain/deliveries/authentication.ts";
import { signingSecretProblem } from "../../../domain/deliveries/signing-secret-problem.ts";
import { isKeyHash } from "../../../domain/keys.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { type Secret, secrets } from "../../../kube/core-resources.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyOf, keyText } from "../../../lib/resource.ts";
import type { AutomationFacts, SourceKey } from "../facts.ts";
import { keySourceOf } from "../resources.ts";

type KeyFacts = Pick<AutomationFacts, "keySecret" | "source">;

interface Known {
  facts: KeyFacts;
  /** UID and generation of the automation that the facts were read for. */
  uid: string | undefined;
  generation: number | undefined;
  readMs: number;
  /** Monotonic instant after which the facts are read again. */
  dueMs: number;
}

export interface KeyReaderDeps {
  client: Pick<KubeClient, "find">;
  clock: Clock;
  keysNamespace: string;
}

/**
 * Reads the Secrets of automations' keys. They are read by name and not watched, so what was read is kept for a while:
 * each Run of an automation would cost two reads otherwise.
 */
export class KeyReader {
  readonly #deps: KeyReaderDeps;
  readonly #known = new Map<string, Known>();

  constructor(deps: KeyReaderDeps) {
    this.#deps = deps;
  }

  async read(automation: Automation, signal: AbortSignal): Promise<KeyFacts> {
    if (!isPostedType(automation.spec.trigger.type)) return { keySecret: undefined, source: undefined };
    const key = keyText(keyOf(automation));
    const { uid, generation } = automation.metadata;
    const readMs = this.#deps.clock.monotonicMs();
    const known = this.#known.get(key);
    const isSame = known?.uid === uid && known?.generation === generation;
    if (known && isSame && readMs < known.dueMs) return known.facts;
    const facts = await this.#readLive(automation, signal);
    this.#known.set(key, { facts, uid, generation, readMs, dueMs: readMs });
    return facts;
  }

  /** Keeps what was read for this long since the read; returns the milliseconds that are left. */
  keep(key: string, forMs: number | undefined): number | undefined {
    if (forMs === undefined) return undefined;
    const known = this.#known.get(key);
    if (!known) return forMs;
    known.dueMs = known.readMs + forMs;
    return Math.max(0, known.dueMs - this.#deps.clock.monotonicMs());
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  async #readLive(automation: Automation, signal: AbortSignal): Promise<KeyFacts> {
    const { client, keysNamespace } = this.#deps;
    const { namespace, uid = "" } = automation.metadata;
    const reference = keySourceOf(automation);
    const [keySecret, source] = await Promise.all([
      client.find(secrets, { namespace: keysNamespace, name: keySecretName(uid) }, { signal }),
      reference && client.find(secrets, { namespace, name: reference.name }, { signal }),
    ]);
    return { keySecret, source: reference && sourceKey(automation, source, reference) };
  }
}

/** Reads the key in the Secret that an automation names; a line break at its end is ignored. */
export function sourceKey(
  automation: Automation,
  secret: Secret | undefined,
  { name, key }: { name: string; key: string },
): SourceKey {
  if (!secret) return { state: "missing" };
  const stored = secret.data?.[key];
  if (stored === undefined) return { state: "invalid", message: `Secret ${name} has no key ${key}` };
  const value = Buffer.from(stored, "base64").toString("utf8").trim();
  const authentication = authenticationOf(automation.spec.trigger.webhook?.authentication);
  if (authentication.type === "HMAC") {
    const problem = signingSecretProblem(value, authentication.scheme);
    if (problem === undefined) return { state: "found", dataKey: signingSecretDataKeys.current, value };
    return { state: "invalid", message: `Key ${key} of Secret ${name} ${problem}` };
  }
  if (isKeyHash(value)) return { state: "found", dataKey: keyHashDataKey, value };
  const message = `Key ${key} of Secret ${name} must be 64 lower-case hexadecimal digits, the SHA-256 of the API key's text`;
  return { state: "invalid", message };
}
