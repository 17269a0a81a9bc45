import { type AutomationStatus, isDeliveryType, keyHashDataKey } from "../../../api/v1alpha1/index.ts";
import type { Mark } from "../../../domain/conditions.ts";
import { webhookPath } from "../../../domain/deliveries/webhook-path.ts";
import { keyHint, storedKeyHash } from "../../../domain/keys.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import type { AutomationEffect } from "../effects.ts";
import type { AutomationFacts } from "../facts.ts";
import { isCopy, makeKeyCopy } from "../resources.ts";

/** How often the key's Secrets, which are not watched, are read again. */
const rereadMs = 60_000;
/** How often they are read while there is no key yet. */
const firstKeyMs = 10_000;

/** Keeps the copy of a hash like its source, and removes it with its source, so that no withdrawn key opens anything. */
export function decideKey(
  { automation, keySecret, source }: AutomationFacts,
  keysNamespace: string,
): AutomationEffect[] {
  if (source?.state === "found") {
    const secret = makeKeyCopy(automation, source.hash, keysNamespace);
    if (!keySecret) return [{ kind: "createKey", secret }];
    return isSame(keySecret, secret) ? [] : [{ kind: "replaceKey", existing: keySecret, secret }];
  }
  if (!keySecret) return [];
  return source !== undefined || isCopy(keySecret) ? [{ kind: "deleteKey", existing: keySecret }] : [];
}

/** The URL path of deliveries and, where there is a key, the beginning of its hash. */
export function webhookStatus({ automation, keySecret, source }: AutomationFacts): AutomationStatus["webhook"] {
  const { type } = automation.spec.trigger;
  if (!isDeliveryType(type)) return undefined;
  const { namespace = "", name = "" } = automation.metadata;
  const hash = source ? (source.state === "found" ? source.hash : undefined) : storedKeyHash(keySecret);
  const path = webhookPath({ namespace, name }, type);
  return hash === undefined ? { path } : { path, keyHint: keyHint(hash) };
}

/** Milliseconds after which the key's Secrets are read again; undefined without a key condition. */
export function keysCountMs(keyIssued: Mark | undefined): number | undefined {
  if (!keyIssued) return undefined;
  return keyIssued.status === "True" ? rereadMs : firstKeyMs;
}

function isSame(stored: Secret, wanted: Secret): boolean {
  return isCopy(stored) && stored.data?.[keyHashDataKey] === wanted.data?.[keyHashDataKey];
}
