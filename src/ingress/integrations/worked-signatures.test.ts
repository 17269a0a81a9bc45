import { describe, expect, it } from "vitest";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import { isSigned } from "../signature.ts";
import { githubProtocol } from "./github-protocol.ts";
import { linearProtocol } from "./linear-protocol.ts";
import type { IntegrationProtocol } from "./protocol.ts";

// The product's worked cases of verification, with its own secret, body and signature. Those of Slack are beside its protocol.

const secret = "example-signing-secret";
const body = '{"type":"ping","note":"ü"}';
const digest = "1d6499882c0ff1f65e9bdf5403c6cd3c55afa5b0732682c54c6f0b6892817e5a";
const now = new Date("2026-01-01T00:00:00.000Z");

/** What a request with these headers comes to. */
function judge(
  protocol: IntegrationProtocol,
  headers: Record<string, string>,
  { sent = body, secrets = [secret] }: { sent?: string; secrets?: string[] } = {},
): string {
  try {
    const { signature, prefix = "" } = protocol.signatureOf(headers, now);
    const signed = {
      scheme: { algorithm: "sha256", encoding: "hex" } as const,
      signatures: [signature],
      parts: [prefix, sent],
    };
    return isSigned(signed, secrets) ? "taken" : "WrongKey";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe.each([
  { provider: "Linear", protocol: linearProtocol, header: "linear-signature", prefix: "" },
  { provider: "GitHub", protocol: githubProtocol, header: "x-hub-signature-256", prefix: "sha256=" },
])("of $provider", ({ protocol, header, prefix }) => {
  const withSignature = (value: string): Record<string, string> => ({ [header]: `${prefix}${value}` });

  it.each([
    { row: 1, name: "the right signature", sent: digest, want: "taken" },
    { row: 6, name: "upper-case digits", sent: digest.toUpperCase(), want: "taken" },
    { row: 7, name: "another version", sent: `v1=${digest}`, want: "WrongKey" },
    { row: 10, name: "half of it", sent: digest.slice(32), want: "WrongKey" },
  ])("row $row: $name is $want", ({ sent, want }) => {
    expect(judge(protocol, withSignature(sent))).toBe(want);
  });

  it.each([
    { row: 8, name: "one more line break", sent: `${body}\n` },
    { row: 9, name: "another order of keys", sent: '{"note":"ü","type":"ping"}' },
  ])("row $row: the body with $name is none of it", ({ sent }) => {
    expect(judge(protocol, withSignature(digest), { sent })).toBe("WrongKey");
  });

  it("row 10: an empty one is missed", () => {
    expect(judge(protocol, { [header]: "" })).toBe("MissingKey");
  });

  it("row 11: that of the secret before is taken while there are two, and no more afterwards", () => {
    expect(judge(protocol, withSignature(digest), { secrets: ["later-secret", secret] })).toBe("taken");
    expect(judge(protocol, withSignature(digest), { secrets: ["later-secret"] })).toBe("WrongKey");
  });
});

it("row 7: GitHub's old header alone is missed", () => {
  expect(judge(githubProtocol, { "x-hub-signature": `sha1=${digest.slice(0, 40)}` })).toBe("MissingKey");
});
