import { expect, it } from "vitest";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import { isSigned } from "../signature.ts";
import { slackProtocol } from "./slack-protocol.ts";

const secret = "example-signing-secret";
const body = '{"type":"ping","note":"ü"}';
const seconds = 1_767_225_600;
const digest = "f8b6e80b05fa367feefb2a20894336a7d73321faee0847871debff95505ad93b";
const right = { "x-slack-signature": `v0=${digest}`, "x-slack-request-timestamp": String(seconds) };

/** What a request with these headers comes to, so many milliseconds after its time. */
function judge(headers: Record<string, string>, aheadMs: number, sent = body): string {
  try {
    const now = new Date(seconds * 1_000 + aheadMs);
    const { signature, prefix = "" } = slackProtocol.signatureOf(headers, now);
    const signed = {
      scheme: { algorithm: "sha256", encoding: "hex" } as const,
      signatures: [signature],
      parts: [prefix, sent],
    };
    return isSigned(signed, [secret]) ? "taken" : "WrongKey";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

it.each([
  { aheadMs: 0, want: "taken" },
  { aheadMs: 299_000, want: "taken" },
  { aheadMs: 300_000, want: "taken" },
  { aheadMs: 300_999, want: "taken" },
  { aheadMs: 301_000, want: "Stale" },
  { aheadMs: -299_000, want: "taken" },
  { aheadMs: -300_000, want: "taken" },
  { aheadMs: -301_000, want: "Stale" },
])("a request is $want by a clock that is $aheadMs ms ahead of its time", ({ aheadMs, want }) => {
  expect(judge(right, aheadMs)).toBe(want);
});

it.each([
  { name: "a time that is no number", headers: { "x-slack-request-timestamp": "abc" }, want: "WrongKey" },
  { name: "a time in milliseconds", headers: { "x-slack-request-timestamp": `${seconds}000` }, want: "Stale" },
  { name: "an empty time", headers: { "x-slack-request-timestamp": "" }, want: "WrongKey" },
  { name: "another version", headers: { "x-slack-signature": `v1=${digest}` }, want: "WrongKey" },
  { name: "upper-case digits", headers: { "x-slack-signature": `v0=${digest.toUpperCase()}` }, want: "taken" },
  { name: "half a signature", headers: { "x-slack-signature": `v0=${digest.slice(32)}` }, want: "WrongKey" },
  { name: "an empty signature", headers: { "x-slack-signature": "" }, want: "MissingKey" },
])("$name makes a request $want", ({ headers, want }) => {
  expect(judge({ ...right, ...headers }, 0)).toBe(want);
});

it.each([`${body}\n`, '{"note":"ü","type":"ping"}'])("the body %j is none of this signature", (sent) => {
  expect(judge(right, 0, sent)).toBe("WrongKey");
});
