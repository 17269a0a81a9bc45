import { Buffer } from "node:buffer";

import { integrationSecretName, labels } from "../api/v1alpha1/index.ts";
import type { KubeClient } from "../kube/client.ts";
import { type Secret, secrets } from "../kube/core-resources.ts";
import { ProviderError } from "./provider-error.ts";

export interface CredentialsDeps {
  client: Pick<KubeClient, "find">;
  tokensNamespace: string;
}

/** The copy of an Integration's credentials. @throws ProviderError */
export async function readCredentials(
  { client, tokensNamespace: namespace }: CredentialsDeps,
  uid: string,
): Promise<Secret> {
  const secret = await client.find(secrets, { namespace, name: integrationSecretName(uid) });
  if (secret?.metadata.labels?.[labels.integrationUid] === uid) return secret;
  throw new ProviderError("credentials", "The Integration has no credentials yet; its condition Ready says why");
}

export function credentialText({ data }: Secret, key: string): string {
  return Buffer.from(data?.[key] ?? "", "base64")
    .toString("utf8")
    .trim();
}
