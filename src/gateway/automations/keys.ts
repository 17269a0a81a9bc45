import { Buffer } from "node:buffer";
import { Automation } from "../../api/v1alpha1/automation.ts";
import {
  annotations as known,
  keyHashDataKey,
  keySecretName,
  labels,
  signingSecretDataKeys,
} from "../../api/v1alpha1/names.ts";
import type { PostedType } from "../../api/v1alpha1/trigger.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import { type Authentication, authenticationOf } from "../../domain/deliveries/authentication.ts";
import { makeSigningSecret, type SignatureScheme } from "../../domain/deliveries/signature-scheme.ts";
import { signingSecretProblem } from "../../domain/deliveries/signing-secret-problem.ts";
import { storedSigningSecrets } from "../../domain/deliveries/signing-secrets.ts";
import { apiKeyBytes, hashApiKey, keyHint, makeApiKey, replacedData, storedKeyHash } from "../../domain/keys.ts";
import { isAlreadyExists, isConflict, isUnanswered } from "../../kube/errors.ts";
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

/** What a sender is given, shown once. */
export interface Issued {
  /** An API key, a token, or the secret that signs. */
  key: string;
  authentication: Authentication["type"];
}

/** Keeps what proves whose a delivery is: hashes of API keys and tokens, and the secrets with which senders sign. */
export class Keys {
  readonly #deps: KeysDeps;

  constructor(deps: KeysDeps) {
    this.#deps = deps;
  }

  /** Issues a new key or signing secret, the only valid one when this returns. @throws ApiError */
  async issue(automation: NamespacedName, { create, requester, signal }: Wanted): Promise<Issued> {
    const { client, clock, random, audit, namespace } = this.#deps;
    const found = await findLive<Automation>(client, Automation, automation, signal);
    refuseOtherTriggers(found);
    const authentication = authenticationOf(found.spec.trigger.webhook?.authentication);
    const bytes = random.bytes(apiKeyBytes);
    const isSigned = authentication.type === "HMAC";
    const key = isSigned ? makeSigningSecret(authentication.scheme, bytes) : makeApiKey(bytes);
    const secret = isSigned
      ? makeSigningKeySecret(found, { secret: key, previous: undefined }, namespace)
      : makeKeySecret(found, key, namespace);
    const name = keySecretName(found.metadata.uid ?? "");
    const existing = await client.find(secrets, { namespace, name }, { signal });
    const hasKey = isSigned ? storedSigningSecrets(existing).length > 0 : storedKeyHash(existing) !== undefined;
    if (hasKey && create) throw new ApiError("KeyExists", "the automation has a key; regenerate it to replace it");
    await this.#write(name, existing, secret, signal);
    const did = isSigned ? "issued a new signing secret" : "issued a new key";
    audit.note(requester, found, { reason: reasons.keyIssued, did });
    await sleep(clock, settleMs);
    return { key, authentication: authentication.type };
  }

  /**
   * Stores the secret with which the sender signs. When this returns, every replica takes it, and no other unless the
   * previous one is to be kept. Returns the automation's trigger type. @throws ApiError
   */
  async setSigningSecret(automation: NamespacedName, wanted: SigningSecret): Promise<PostedType> {
    const { client, clock, audit, namespace } = this.#deps;
    const { secret, keepPrevious, requester, signal } = wanted;
    const found = await findLive<Automation>(client, Automation, automation, signal);
    const scheme = schemeOf(found);
    const problem = signingSecretProblem(secret, scheme);
    if (problem !== undefined) throw new ApiError("InvalidRequest", `secret: ${problem}`);
    const name = keySecretName(found.metadata.uid ?? "");
    const existing = await client.find(secrets, { namespace, name }, { signal });
    const previous = keepPrevious ? existing?.data?.[signingSecretDataKeys.current] : undefined;
    await this.#write(name, existing, makeSigningKeySecret(found, { secret, previous }, namespace), signal);
    audit.note(requester, found, { reason: reasons.keyIssued, did: "set a new signing secret" });
    await sleep(clock, settleMs);
    return scheme ? "Webhook" : "ErrorTracker";
  }

  async #write(name: string, existing: Secret | undefined, secret: Secret, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#deps;
    try {
      if (!existing) await client.create(secrets, secret, { signal });
      else await client.patch(secrets, { namespace, name }, replacing(existing, secret), { signal });
    } catch (error) {
      if (isUnanswered(error)) throw new ApiError("Unavailable", maybeStored);
      if (!isAlreadyExists(error) && !isConflict(error)) throw error;
      throw new ApiError("Conflict", "the automation's key was changed at the same time; try again");
    }
  }
}

const maybeStored = "it is not known whether the key or secret was stored, as the API server did not answer; try again";

function refuseOtherTriggers({ spec: { trigger } }: Automation): void {
  if (trigger.type !== "Webhook") {
    throw new ApiError(
      "NotAWebhook",
      `the automation's trigger is ${trigger.type}; only Webhook automations have keys`,
    );
  }
  refuseManaged(trigger);
}

function refuseManaged({ webhook }: Automation["spec"]["trigger"]): void {
  const field = webhook?.keyHashSecretRef ? "keyHashSecretRef" : "authentication.hmac.secretRef";
  if (!webhook?.keyHashSecretRef && !webhook?.authentication?.hmac?.secretRef) return;
  throw new ApiError("KeyManagedBySecret", `the key comes from the automation's ${field}; change it there`);
}

/** How deliveries to an automation are signed; undefined for error trackers. @throws ApiError where nothing is signed */
function schemeOf({ spec: { trigger } }: Automation): SignatureScheme | undefined {
  if (trigger.type === "ErrorTracker") return undefined;
  const authentication = authenticationOf(trigger.webhook?.authentication);
  if (trigger.type !== "Webhook" || authentication.type !== "HMAC") {
    const message =
      "deliveries to this automation are not signed; only trigger type ErrorTracker and webhooks of authentication type HMAC have signing secrets";
    throw new ApiError("NotSigned", message);
  }
  refuseManaged(trigger);
  return authentication.scheme;
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

/** The Secret of a sender that signs; `previous` is in base64, as stored. */
function makeSigningKeySecret(
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
      ...(previous !== undefined && { [signingSecretDataKeys.previous]: previous }),
    },
  };
}

/** A merge patch after which the Secret has the wanted data and no other. */
function replacing(existing: Secret, { metadata: { labels: wanted, annotations }, data }: Secret): object {
  return {
    metadata: {
      resourceVersion: existing.metadata.resourceVersion,
      labels: wanted,
      // It no longer comes from a copied Secret, and the hint is that of the hash.
      annotations: { [known.keyHint]: null, ...annotations, [known.copiedFrom]: null },
    },
    data: replacedData(existing.data, data),
  };
}
