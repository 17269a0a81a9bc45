import { expect, it } from "vitest";

import { sshKeyPair } from "../../test/support/ssh-key-pair.ts";
import { readPrivateKey } from "./ssh-key.ts";

it.each([
  { characters: 16_383, want: "unreadable" },
  { characters: 16_384, want: "unreadable" },
  { characters: 16_385, want: "too long" },
  { characters: 1_000_000, want: "too long" },
])("a text of $characters characters that has many headers is $want", ({ characters, want }) => {
  const text = `-----BEGIN RSA PRIVATE KEY-----\n${"a:b\n".repeat(characters / 4)}`.slice(0, characters);
  expect(readPrivateKey(text.padEnd(characters, "x"))).toBe(want);
});

it("a key is read", () => {
  expect(readPrivateKey(sshKeyPair().private)).toMatchObject({ type: "ssh-ed25519" });
});
