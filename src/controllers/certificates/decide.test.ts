import { expect, it } from "vitest";
import { decideCertificates } from "./decide.ts";
import type { Authority, CertificateFacts, ServingCertificate } from "./facts.ts";

const day = 86_400_000;
const now = new Date("2026-05-04T10:00:00.000Z");
const dnsNames = ["gateway.system.svc"];

function pair(fingerprint: string) {
  return { cert: fingerprint, key: `key of ${fingerprint}` };
}

function authority(fingerprint: string, ageDays: number, leftDays: number): Authority {
  return {
    fingerprint,
    pair: pair(fingerprint),
    notBeforeMs: now.getTime() - ageDays * day,
    notAfterMs: now.getTime() + leftDays * day,
  };
}

function serving(signer: string, leftDays: number, names = dnsNames): ServingCertificate {
  return { signer, dnsNames: names, notBeforeMs: now.getTime() - day, notAfterMs: now.getTime() + leftDays * day };
}

const settled: CertificateFacts = {
  authorities: [authority("a", 100, 265)],
  serving: serving("a", 60),
  authoritySecret: undefined,
  servingSecret: undefined,
};

const wait = { effects: [], requeueMs: 3_600_000 };
const makeAuthority = (...keep: string[]) => ({
  effects: [{ kind: "makeAuthority", keep: keep.map(pair) }],
  requeueMs: 0,
});
const issueServing = (signer: string) => ({ effects: [{ kind: "issueServing", signer: pair(signer) }], requeueMs: 0 });

it.each<{ name: string; facts: Partial<CertificateFacts>; want: object }>([
  { name: "leaves a good certificate alone", facts: {}, want: wait },
  { name: "makes the first authority", facts: { authorities: [] }, want: makeAuthority() },
  {
    name: "has a new installation served by its only authority at once",
    facts: { authorities: [authority("a", 0, 365)], serving: undefined },
    want: issueServing("a"),
  },
  {
    name: "keeps an authority with 180 days left",
    facts: { authorities: [authority("a", 185, 180)] },
    want: wait,
  },
  {
    name: "makes a second authority below 180 days and keeps the first",
    facts: { authorities: [authority("a", 185.001, 179.999)] },
    want: makeAuthority("a"),
  },
  {
    name: "drops an authority that has ended",
    facts: { authorities: [authority("b", 276, 89), authority("a", 400, -1)], serving: serving("b", 60) },
    want: makeAuthority("b"),
  },
  {
    name: "lets the old authority sign while sandboxes without a lifetime may not know the new one",
    facts: { authorities: [authority("b", 149.999, 215), authority("a", 335, 30)] },
    want: wait,
  },
  {
    name: "lets the new authority sign after 150 days",
    facts: { authorities: [authority("b", 150, 215), authority("a", 335, 30)] },
    want: issueServing("b"),
  },
  {
    name: "lets an old authority sign until a day before its end, however young the new one is",
    facts: { authorities: [authority("b", 20, 345), authority("a", 364, 1)] },
    want: wait,
  },
  {
    name: "lets the new authority sign in the last day of the old one",
    facts: { authorities: [authority("b", 20, 345), authority("a", 364.001, 0.999)] },
    want: issueServing("b"),
  },
  { name: "keeps a certificate with 30 days left", facts: { serving: serving("a", 30) }, want: wait },
  {
    name: "renews a certificate below 30 days",
    facts: { serving: serving("a", 29.999) },
    want: issueServing("a"),
  },
  {
    name: "renews a certificate that lacks a name",
    facts: { serving: serving("a", 60, ["other"]) },
    want: issueServing("a"),
  },
  {
    name: "replaces a certificate of an unknown authority",
    facts: { serving: serving("stranger", 60) },
    want: issueServing("a"),
  },
])("$name", ({ facts, want }) => {
  expect(decideCertificates({ ...settled, ...facts }, now, dnsNames)).toMatchObject(want);
});
