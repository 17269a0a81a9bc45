import { readPrivateKey } from "../../../lib/ssh-key.ts";

/** What keeps a private key from being used, in words; undefined for one that can be. Never quotes it. */
export function sshKeyProblem(text: string): string | undefined {
  const key = readPrivateKey(text);
  if (key === "encrypted") return "a private key with a passphrase, which nobody could enter,";
  return key === "unreadable" ? "no private key that can be read (one in OpenSSH's or PEM form is)" : undefined;
}
