import { Buffer } from "node:buffer";
import { gatewayCaSecretName, gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { CertificatePair } from "./facts.ts";

/** Keys of the authorities in their Secret, newest first; the first has ended before a third is needed. */
const places = [
  { cert: "ca.crt", key: "ca.key" },
  { cert: "previous.crt", key: "previous.key" },
] as const;

/** The authorities that a Secret holds, newest first. */
export function authoritiesIn(secret: Secret | undefined): CertificatePair[] {
  return places
    .map(({ cert, key }) => ({ cert: textIn(secret, cert), key: textIn(secret, key) }))
    .filter(({ cert, key }) => cert !== "" && key !== "");
}

/** The authorities as one PEM bundle, by which runtimes trust the gateway. */
export function bundleOf(authorities: readonly CertificatePair[]): string {
  return authorities.map(({ cert }) => `${cert.trim()}\n`).join("");
}

export function makeAuthoritySecret(namespace: string, authorities: readonly CertificatePair[]): Secret {
  const texts = places.flatMap((place, index) => {
    const pair = authorities[index];
    return pair ? [[place.cert, pair.cert] as const, [place.key, pair.key] as const] : [];
  });
  const metadata = { namespace, name: gatewayCaSecretName };
  return { metadata, type: "Opaque", data: encoded(Object.fromEntries(texts)) };
}

export function makeServingSecret(
  namespace: string,
  serving: CertificatePair,
  authorities: readonly CertificatePair[],
): Secret {
  const texts = { "tls.crt": serving.cert, "tls.key": serving.key, "ca.crt": bundleOf(authorities) };
  return { metadata: { namespace, name: gatewayTlsSecretName }, type: "kubernetes.io/tls", data: encoded(texts) };
}

export function textIn(secret: Secret | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? "", "base64").toString("utf8");
}

function encoded(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
}
