import { gatewayCaSecretName, gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { secrets } from "../../kube/core-resources.ts";
import type { CertificateFacts } from "./facts.ts";
import { authoritiesIn, textIn } from "./secrets.ts";
import { readAuthority, readServing } from "./x509.ts";

/** Reads both Secrets from the API server, and the certificates in them. */
export async function observeCertificates(
  client: Pick<KubeClient, "find">,
  namespace: string,
): Promise<CertificateFacts> {
  const [authoritySecret, servingSecret] = await Promise.all([
    client.find(secrets, { namespace, name: gatewayCaSecretName }),
    client.find(secrets, { namespace, name: gatewayTlsSecretName }),
  ]);
  const pairs = authoritiesIn(authoritySecret);
  const serving = readServing(
    textIn(servingSecret, "tls.crt"),
    pairs.map(({ cert }) => cert),
  );
  return { authorities: pairs.flatMap((pair) => readAuthority(pair) ?? []), serving, authoritySecret, servingSecret };
}
