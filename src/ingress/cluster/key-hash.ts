import { keyHashDataKey, keySecretName, labels } from "../../api/v1alpha1/index.ts";
import { isKeyHash } from "../../domain/keys.ts";
import type { KubeClient } from "../../kube/client.ts";
import { secrets } from "../../kube/core-resources.ts";

export interface KeyHashDeps {
  client: Pick<KubeClient, "find">;
  keysNamespace: string;
}

/** Reads the hash of an Automation's key from the API server; undefined when there is none for this UID. */
export async function readKeyHash(
  { client, keysNamespace }: KeyHashDeps,
  automationUid: string,
  timeoutMs: number,
): Promise<string | undefined> {
  const key = { namespace: keysNamespace, name: keySecretName(automationUid) };
  const secret = await client.find(secrets, key, { timeoutMs });
  if (secret?.metadata.labels?.[labels.automationUid] !== automationUid) return undefined;
  const hash = Buffer.from(secret.data?.[keyHashDataKey] ?? "", "base64").toString("latin1");
  return isKeyHash(hash) ? hash : undefined;
}
