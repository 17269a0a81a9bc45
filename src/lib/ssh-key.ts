import type { ParsedKey } from "ssh2";
// The package's entry point brings a client and a server with it and cannot be bundled.
import keyParser from "ssh2/lib/protocol/keyParser.js";

/** A private key of OpenSSH's or PEM form, or why the text is none; the reason quotes nothing. */
export function readPrivateKey(text: string): ParsedKey | "encrypted" | "unreadable" {
  const key = keyParser.parseKey(text);
  if (key instanceof Error) return key.message.includes("no passphrase") ? "encrypted" : "unreadable";
  return key.isPrivateKey() ? key : "unreadable";
}
