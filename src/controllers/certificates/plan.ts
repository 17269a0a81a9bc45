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

/** One year; made anew 180 days before its end, which is less than half of it, so there are never three. */
export const authorityLifetimeMs = 365 * dayMs;
const authorityRenewalMs = 180 * dayMs;
/** 90 days; issued anew 30 days before its end. */
export const servingLifetimeMs = 90 * dayMs;
const servingRenewalMs = 30 * dayMs;
/**
 * A sandbox trusts the authorities that were there when it began, so a new one signs only when those of before have ended.
 * With a lifetime that takes 7 days at most; without one sandboxes have this long.
 */
const authorityTrustedAfterMs = 150 * dayMs;
/** In its last day an authority signs nothing, or the gateway would be served by one that is over until the next look. */
const authorityRetiresMs = dayMs;
const longestWaitMs = 3_600_000;

/** What to do next for the gateway's certificate. Same facts and instant, same step. */
export function planCertificates(facts: CertificateFacts, now: Date): CertificateStep {
  const nowMs = now.getTime();
  const usable = facts.authorities.filter((authority) => isValid(authority, nowMs));
  const [newest] = usable;
  if (!newest || newest.notAfterMs - nowMs < authorityRenewalMs) return { kind: "makeAuthority", keep: usable };
  const signing = usable.filter(({ notAfterMs }) => notAfterMs - nowMs >= authorityRetiresMs);
  const signer = signing.find(({ notBeforeMs }) => nowMs - notBeforeMs >= authorityTrustedAfterMs) ?? signing.at(-1);
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
