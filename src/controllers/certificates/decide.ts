import type { CertificateEffect } from "./effects.ts";
import type { Authority, CertificateFacts, Validity } from "./facts.ts";

const dayMs = 86_400_000;

/** An authority is replaced this long before its end: less than half of its year, so there are never three. */
const authorityRenewalMs = 180 * dayMs;
/** A serving certificate, valid for 90 days, is replaced this long before its end. */
const servingRenewalMs = 30 * dayMs;
/**
 * A sandbox trusts the authorities that existed when it began, so a new one signs only once the sandboxes from before it
 * have ended. With a lifetime they take 7 days at most; without one they have this long.
 */
const authorityTrustedAfterMs = 150 * dayMs;
/** In its last day an authority signs nothing, or the gateway could present an expired one until the next look. */
const authorityRetiresMs = dayMs;
const longestWaitMs = 3_600_000;

/** Decides the next step for the gateway's certificate, one certificate at a time. */
export function decideCertificates(
  facts: CertificateFacts,
  now: Date,
  dnsNames: readonly string[],
): { effects: readonly CertificateEffect[]; requeueMs: number } {
  const nowMs = now.getTime();
  const usable = facts.authorities.filter((authority) => isValid(authority, nowMs));
  const [newest] = usable;
  if (!newest || newest.notAfterMs - nowMs < authorityRenewalMs) {
    const keep = usable.map(({ pair }) => pair);
    return { effects: [{ kind: "makeAuthority", keep, existing: facts.authoritySecret }], requeueMs: 0 };
  }
  const signing = usable.filter(({ notAfterMs }) => notAfterMs - nowMs >= authorityRetiresMs);
  const signer = signing.find(({ notBeforeMs }) => nowMs - notBeforeMs >= authorityTrustedAfterMs) ?? signing.at(-1);
  if (!signer || isGood(facts, { signer, dnsNames, nowMs })) return { effects: [], requeueMs: longestWaitMs };
  const authorities = facts.authorities.map(({ pair }) => pair);
  const existing = facts.servingSecret;
  return { effects: [{ kind: "issueServing", signer: signer.pair, authorities, existing }], requeueMs: 0 };
}

function isValid({ notBeforeMs, notAfterMs }: Validity, nowMs: number): boolean {
  return notBeforeMs <= nowMs && nowMs < notAfterMs;
}

function isGood(
  { serving }: CertificateFacts,
  { signer, dnsNames, nowMs }: { signer: Authority; dnsNames: readonly string[]; nowMs: number },
): boolean {
  if (!serving || !isValid(serving, nowMs) || serving.notAfterMs - nowMs < servingRenewalMs) return false;
  return serving.signer === signer.fingerprint && dnsNames.every((name) => serving.dnsNames.includes(name));
}
