import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import type { Random } from "../../lib/random.ts";
import type { CertificatePair } from "./facts.ts";
import { makeAuthoritySecret, makeServingSecret } from "./secrets.ts";
import { issueServing, makeAuthority } from "./x509.ts";

/** One certificate that is made and stored; `existing` is the Secret that it replaces. */
export type CertificateEffect =
  | { kind: "makeAuthority"; keep: readonly CertificatePair[]; existing: Secret | undefined }
  | {
      kind: "issueServing";
      signer: CertificatePair;
      authorities: readonly CertificatePair[];
      existing: Secret | undefined;
    };

export interface CertificateEffectsDeps {
  client: Pick<KubeClient, "create" | "replace">;
  random: Random;
  namespace: string;
  /** Names that gateways are reached by. */
  dnsNames: readonly string[];
}

/** Makes the certificate of one effect, valid from `now`, and stores it. */
export async function performEffect(
  { client, random, namespace, dnsNames }: CertificateEffectsDeps,
  effect: CertificateEffect,
  now: Date,
): Promise<void> {
  switch (effect.kind) {
    case "makeAuthority": {
      const made = await makeAuthority(now, random);
      return store(client, makeAuthoritySecret(namespace, [made, ...effect.keep]), effect.existing);
    }
    case "issueServing": {
      const serving = await issueServing(effect.signer, dnsNames, { now, random });
      return store(client, makeServingSecret(namespace, serving, effect.authorities), effect.existing);
    }
  }
}

/** Writes under the version that was decided on: two leaders never overwrite each other's authority. */
async function store(
  client: CertificateEffectsDeps["client"],
  wanted: Secret,
  existing: Secret | undefined,
): Promise<void> {
  if (!existing) await client.create(secrets, wanted);
  else await client.replace(secrets, { ...existing, data: wanted.data ?? {} });
}
