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
  const entries = authorities.slice(0, places.length).flatMap(({ cert, key }, index) => {
    const place = places[index];
    return place ? [[place.cert, base64(cert)] as const, [place.key, base64(key)] as const] : [];
  });
  return makeSecret(namespace, gatewayCaSecretName, Object.fromEntries(entries));
}

export function makeServingSecret(
  namespace: string,
  serving: CertificatePair,
  authorities: readonly CertificatePair[],
): Secret {
  return makeSecret(namespace, gatewayTlsSecretName, {
    "tls.crt": base64(serving.cert),
    "tls.key": base64(serving.key),
    "ca.crt": base64(bundleOf(authorities)),
  });
}

export function textIn(secret: Secret | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? "", "base64").toString("utf8");
}

function makeSecret(namespace: string, name: string, data: Record<string, string>): Secret {
  const type = name === gatewayTlsSecretName ? "kubernetes.io/tls" : "Opaque";
  return { metadata: { namespace, name }, type, data };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
