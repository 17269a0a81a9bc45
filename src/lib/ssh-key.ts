import type { ParsedKey } from "ssh2";
// The package's entry point brings a client and a server with it and cannot be bundled.
import keyParser from "ssh2/lib/protocol/keyParser.js";

/** Characters of a private key; the library's patterns take a time that grows with the square of its length. */
export const longestPrivateKey = 16_384;

/** Reads a private key in OpenSSH or PEM format, or returns why it is not one. */
export function readPrivateKey(text: string): ParsedKey | "encrypted" | "too long" | "unreadable" {
  if (text.length > longestPrivateKey) return "too long";
  const key = keyParser.parseKey(text);
  if (key instanceof Error) return key.message.includes("no passphrase") ? "encrypted" : "unreadable";
  return key.isPrivateKey() ? key : "unreadable";
}
