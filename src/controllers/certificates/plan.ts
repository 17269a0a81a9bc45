/** A certificate as far as its renewal is concerned; instants in milliseconds since 1970. */
export interface Validity {
  notBeforeMs: number;
  notAfterMs: number;
}

/** The serving certificate, and what it was made from. */
export interface ServingCertificate extends Validity {
  /** Fingerprint of the authority that signed it. */
  signer: string;
  dnsNames: readonly string[];
}

export interface Authority extends Validity {
  fingerprint: string;
}

export interface CertificateFacts {
  /** Newest first; those that can no longer be read are left out. */
  authorities: readonly Authority[];
  serving: ServingCertificate | undefined;
  /** What gateways are reached by. */
  dnsNames: readonly string[];
}

export type CertificateStep =
  | { kind: "makeAuthority"; keep: readonly Authority[] }
  | { kind: "issueServing"; signer: Authority }
  | { kind: "wait"; ms: number };

const dayMs = 86_400_000;

/** One year; made anew 90 days before its end. */
export const authorityLifetimeMs = 365 * dayMs;
const authorityRenewalMs = 90 * dayMs;
/** 90 days; issued anew 30 days before its end. */
export const servingLifetimeMs = 90 * dayMs;
const servingRenewalMs = 30 * dayMs;
/**
 * A new authority signs only when every sandbox that was given the old bundle has ended: the longest lifetime is 7
 * days, and the kubelet's backstop adds 10 minutes.
 */
const authorityTrustedAfterMs = 8 * dayMs;
const longestWaitMs = 3_600_000;

/** What to do next for the gateway's certificate. Same facts and instant, same step. */
export function planCertificates(facts: CertificateFacts, now: Date): CertificateStep {
  const nowMs = now.getTime();
  const usable = facts.authorities.filter((authority) => isValid(authority, nowMs));
  const [newest] = usable;
  if (!newest || newest.notAfterMs - nowMs < authorityRenewalMs) return { kind: "makeAuthority", keep: usable };
  const signer = usable.find((authority) => nowMs - authority.notBeforeMs >= authorityTrustedAfterMs) ?? usable.at(-1);
  if (signer && !isGood(facts, signer, nowMs)) return { kind: "issueServing", signer };
  return { kind: "wait", ms: longestWaitMs };
}

function isValid({ notBeforeMs, notAfterMs }: Validity, nowMs: number): boolean {
  return notBeforeMs <= nowMs && nowMs < notAfterMs;
}

function isGood({ serving, dnsNames }: CertificateFacts, signer: Authority, nowMs: number): boolean {
  if (!serving || !isValid(serving, nowMs) || serving.notAfterMs - nowMs < servingRenewalMs) return false;
  return serving.signer === signer.fingerprint && dnsNames.every((name) => serving.dnsNames.includes(name));
}
