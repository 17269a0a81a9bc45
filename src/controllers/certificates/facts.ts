import type { Secret } from "../../kube/core-resources.ts";

/** Everything that was observed for the gateway's certificate. */
export interface CertificateFacts {
  /** Newest first; without those that cannot be read. */
  authorities: readonly Authority[];
  serving: ServingCertificate | undefined;
  /** The Secrets that hold them. */
  authoritySecret: Secret | undefined;
  servingSecret: Secret | undefined;
}

/** When a certificate is valid; instants in milliseconds since 1970. */
export interface Validity {
  notBeforeMs: number;
  notAfterMs: number;
}

/** The certificate that the gateway presents. */
export interface ServingCertificate extends Validity {
  /** Fingerprint of the authority that signed it. */
  signer: string;
  dnsNames: readonly string[];
}

export interface Authority extends Validity {
  fingerprint: string;
  pair: CertificatePair;
}

/** A certificate and its private key, PEM. */
export interface CertificatePair {
  cert: string;
  key: string;
}
