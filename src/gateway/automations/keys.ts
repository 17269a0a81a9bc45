import { Buffer } from "node:buffer";
import { Automation } from "../../api/v1alpha1/automation.ts";
import {
  annotations as known,
  keyHashDataKey,
  keySecretName,
  labels,
  signingSecretDataKeys,
} from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { apiKeyBytes, hashApiKey, keyHint, makeApiKey } from "../../domain/keys.ts";
import { isAlreadyExists, isConflict } from "../../kube/errors.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Audit, Requested } from "../http/audit.ts";
import { ApiError } from "../http/errors.ts";
import { findLive } from "../http/find-live.ts";

/**
 * Milliseconds from the write to the answer. An ingress checks keys by a read that is at most 1 s old, so deliveries
 * sent after the answer are checked by the new hash on every replica.
 */
const settleMs = 2_000;

interface KeysDeps {
  client: KubeClient;
  clock: Clock;
  random: Pick<Random, "bytes">;
  /** Namespace of the Secrets with key hashes. */
  namespace: string;
  audit: Audit;
}

interface Wanted extends Requested {
  /** Fails if the automation has a key already. */
  create: boolean;
}

interface SigningSecret extends Requested {
  secret: string;
  /** Whether the secret that was valid until now stays valid. */
  keepPrevious: boolean;
}

/** Keeps what proves whose a delivery is: hashes of API keys, and the secrets with which senders sign. */
export class Keys {
  readonly #deps: KeysDeps;

  constructor(deps: KeysDeps) {
    this.#deps = deps;
  }

  /** Issues a new key, the only valid one when this returns. @throws ApiError */
  async issue(automation: NamespacedName, { create, requester, signal }: Wanted): Promise<string> {
    const { client, clock, random, audit } = this.#deps;
    const found = await findLive<Automation>(client, Automation, automation, signal);
    refuseOtherTriggers(found);
    const key = makeApiKey(random.bytes(apiKeyBytes));
    await this.#store(found, key, { create, signal });
    audit.note(requester, found, { reason: reasons.keyIssued, did: "issued a new key" });
    await sleep(clock, settleMs);
    return key;
  }

  /**
   * Stores the secret with which the sender signs. When this returns, every replica takes it, and no other unless the
   * previous one is to be kept. @throws ApiError
   */
  async setSigningSecret(automation: NamespacedName, wanted: SigningSecret): Promise<void> {
    const { client, clock, audit, namespace } = this.#deps;
    const { secret, keepPrevious, requester, signal } = wanted;
    const found = await findLive<Automation>(client, Automation, automation, signal);
    const { type } = found.spec.trigger;
    if (type !== "ErrorTracker") {
      const message = `the automation's trigger is ${type}; only ErrorTracker automations have signing secrets`;
      throw new ApiError("NotAnErrorTracker", message);
    }
    const name = keySecretName(found.metadata.uid ?? "");
    const existing = await client.find(secrets, { namespace, name }, { signal });
    const previous = keepPrevious ? existing?.data?.[signingSecretDataKeys.current] : undefined;
    await this.#write(name, existing, makeSigningSecret(found, { secret, previous }, namespace), signal);
    audit.note(requester, found, { reason: reasons.keyIssued, did: "set a new signing secret" });
    await sleep(clock, settleMs);
  }

  async #store(automation: Automation, key: string, { create, signal }: Omit<Wanted, "requester">): Promise<void> {
    const { client, namespace } = this.#deps;
    const name = keySecretName(automation.metadata.uid ?? "");
    const existing = await client.find(secrets, { namespace, name }, { signal });
    if (existing && create) throw new ApiError("KeyExists", "the automation has a key; regenerate it to replace it");
    await this.#write(name, existing, makeKeySecret(automation, key, namespace), signal);
  }

  async #write(name: string, existing: Secret | undefined, secret: Secret, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#deps;
    try {
      if (!existing) await client.create(secrets, secret, { signal });
      else await client.patch(secrets, { namespace, name }, replacing(existing, secret), { signal });
    } catch (error) {
      if (!isAlreadyExists(error) && !isConflict(error)) throw error;
      throw new ApiError("Conflict", "the automation's key was changed at the same time; try again");
    }
  }
}

function refuseOtherTriggers({ spec: { trigger } }: Automation): void {
  if (trigger.type !== "Webhook") {
    throw new ApiError(
      "NotAWebhook",
      `the automation's trigger is ${trigger.type}; only Webhook automations have keys`,
    );
  }
  if (trigger.webhook?.keyHashSecretRef) {
    throw new ApiError(
      "KeyManagedBySecret",
      "the key's hash comes from the automation's keyHashSecretRef; change it there",
    );
  }
}

/** The Secret of a key, with its hash only. */
export function makeKeySecret(automation: Pick<Automation, "metadata">, key: string, namespace: string): Secret {
  const hash = hashApiKey(key);
  const { uid = "", namespace: automationNamespace = "" } = automation.metadata;
  return {
    metadata: {
      namespace,
      name: keySecretName(uid),
      labels: { [labels.automationUid]: uid, [labels.automationNamespace]: automationNamespace },
      annotations: { [known.keyHint]: keyHint(hash) },
    },
    type: "Opaque",
    data: { [keyHashDataKey]: Buffer.from(hash).toString("base64") },
  };
}

/** The Secret of a sender that signs; `previous` is in base64, as stored. Without one it is empty, as a merge patch keeps what is absent. */
function makeSigningSecret(
  { metadata }: Pick<Automation, "metadata">,
  { secret, previous }: { secret: string; previous: string | undefined },
  namespace: string,
): Secret {
  const { uid = "", namespace: automationNamespace = "" } = metadata;
  return {
    metadata: {
      namespace,
      name: keySecretName(uid),
      labels: { [labels.automationUid]: uid, [labels.automationNamespace]: automationNamespace },
    },
    type: "Opaque",
    data: {
      [signingSecretDataKeys.current]: Buffer.from(secret).toString("base64"),
      [signingSecretDataKeys.previous]: previous ?? "",
    },
  };
}

function replacing(existing: Secret, { metadata: { labels: wanted, annotations }, data }: Secret): object {
  return {
    metadata: {
      resourceVersion: existing.metadata.resourceVersion,
      labels: wanted,
      // The hash no longer comes from a copied Secret.
      annotations: { ...annotations, [known.copiedFrom]: null },
    },
    data,
  };
}
