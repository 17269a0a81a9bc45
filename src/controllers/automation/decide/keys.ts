import { type AutomationStatus, isPostedType } from "../../../api/v1alpha1/index.ts";
import type { Mark } from "../../../domain/conditions.ts";
import { webhookPath } from "../../../domain/deliveries/webhook-path.ts";
import { keyHint, storedKeyHash } from "../../../domain/keys.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";
import type { AutomationEffect } from "../effects.ts";
import type { AutomationFacts } from "../facts.ts";
import { isCopy, makeKeyCopy } from "../resources.ts";

/** How often the key's Secrets, which are not watched, are read again. */
const rereadMs = 60_000;
/** How often they are read while there is no key yet. */
const firstKeyMs = 10_000;

/** Keeps the copy of a key like its source, and removes it with its source, so that no withdrawn key opens anything. */
export function decideKey(
  { automation, keySecret, source }: AutomationFacts,
  keysNamespace: string,
): AutomationEffect[] {
  if (source?.state === "found") {
    const secret = makeKeyCopy(automation, source, keysNamespace);
    if (!keySecret) return [{ kind: "createKey", secret }];
    return isSame(keySecret, secret) ? [] : [{ kind: "replaceKey", existing: keySecret, secret }];
  }
  if (!keySecret) return [];
  return source !== undefined || isCopy(keySecret) ? [{ kind: "deleteKey", existing: keySecret }] : [];
}

/** Where deliveries are posted and, where there is a key, the beginning of its hash. */
export function webhookStatus(
  { automation, keySecret, source }: AutomationFacts,
  baseUrl: string | undefined,
): AutomationStatus["webhook"] {
  const { type } = automation.spec.trigger;
  if (!isPostedType(type)) return undefined;
  const { namespace = "", name = "" } = automation.metadata;
  // The copy follows its source, and a signing secret has no hint.
  const wanted = source?.state === "found" ? makeKeyCopy(automation, source, "") : undefined;
  const hash = storedKeyHash(source ? wanted : keySecret);
  const path = webhookPath({ namespace, name }, type);
  return {
    path,
    ...(baseUrl !== undefined && { url: `${baseUrl}${path}` }),
    ...(hash !== undefined && { keyHint: keyHint(hash) }),
  };
}

/** Milliseconds after which the key's Secrets are read again; undefined without a key condition. */
export function keysCountMs(keyIssued: Mark | undefined): number | undefined {
  if (!keyIssued) return undefined;
  return keyIssued.status === "True" ? rereadMs : firstKeyMs;
}

function isSame(stored: Secret, wanted: Secret): boolean {
  return isCopy(stored) && jsonEqual(stored.data ?? {}, wanted.data ?? {});
}
