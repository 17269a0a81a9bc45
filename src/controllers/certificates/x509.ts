import "reflect-metadata";
import { createHash, webcrypto, X509Certificate } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate as GeneratedCertificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { Random } from "../../lib/random.ts";
import type { Authority, CertificatePair, ServingCertificate, Validity } from "./facts.ts";

/** How long an authority is valid: one year. */
const authorityLifetimeMs = 365 * 86_400_000;
/** How long a serving certificate is valid: 90 days. */
const servingLifetimeMs = 90 * 86_400_000;
const algorithm = { name: "ECDSA", namedCurve: "P-256" };
const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" };
/** Certificates are valid from an hour ago, for machines whose clocks are behind. */
const backdatedMs = 3_600_000;

/** Makes a certificate authority that is valid for a year. */
export async function makeAuthority(now: Date, random: Random): Promise<CertificatePair> {
  const keys = await newKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    ...validity(now, authorityLifetimeMs),
    serialNumber: newSerialNumber(random),
    name: `CN=runwright-gateway-ca ${now.toISOString().slice(0, 10)}`,
    signingAlgorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return { cert: cert.toString("pem"), key: await exportKey(keys.privateKey) };
}

/** Issues a server certificate for these names that is valid for 90 days. */
export async function issueServing(
  authority: CertificatePair,
  dnsNames: readonly string[],
  { now, random }: { now: Date; random: Random },
): Promise<CertificatePair> {
  const keys = await newKeys();
  const signer = new GeneratedCertificate(authority.cert);
  const cert = await X509CertificateGenerator.create({
    ...validity(now, servingLifetimeMs),
    serialNumber: newSerialNumber(random),
    subject: "CN=runwright-gateway",
    issuer: signer.subject,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: "dns", value }))),
    ],
  });
  return { cert: cert.toString("pem"), key: await exportKey(keys.privateKey) };
}

/** Reads an authority; undefined when the text is not a certificate. */
export function readAuthority(pair: CertificatePair): Authority | undefined {
  const certificate = parse(pair.cert);
  return certificate && { ...validityOf(certificate), fingerprint: certificate.fingerprint256, pair };
}

/** Reads a serving certificate and finds out which of the authorities signed it; undefined when it is none. */
export function readServing(pem: string, authorities: readonly string[]): ServingCertificate | undefined {
  const certificate = parse(pem);
  if (!certificate) return undefined;
  const signer = authorities.map(parse).find((authority) => authority && certificate.verify(authority.publicKey));
  const dnsNames = (certificate.subjectAltName ?? "").split(", ").map((name) => name.replace(/^DNS:/, ""));
  return { ...validityOf(certificate), signer: signer?.fingerprint256 ?? "", dnsNames };
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function validityOf({ validFromDate, validToDate }: X509Certificate): Validity {
  return { notBeforeMs: validFromDate.getTime(), notAfterMs: validToDate.getTime() };
}

function validity(now: Date, lifetimeMs: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now.getTime() - backdatedMs), notAfter: new Date(now.getTime() + lifetimeMs) };
}

/** 127 random bits: positive, and unique in practice. */
function newSerialNumber(random: Random): string {
  const hex = createHash("sha256").update(random.bytes(32)).digest("hex");
  return hex.slice(0, 32).replace(/^[89a-f]/, "7");
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), algorithm, false, ["sign"]);
}
