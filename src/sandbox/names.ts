import { createHash } from "node:crypto";
import { base32 } from "../lib/base32.ts";

/**
 * Name of the pod of one sandbox attempt: `<first 20 of the session>-<8 of its UID's hash>-<attempt>`. It is the same
 * whenever it is asked for, so a pod whose creation was forgotten is found again, and a session that was made anew
 * under its name never meets its predecessor's pods.
 */
export function sandboxPodName(session: { name: string; uid: string }, attempt: number): string {
  const hash = base32(createHash("sha256").update(session.uid).digest()).slice(0, 8);
  return `${session.name.slice(0, 20).replace(/-+$/, "")}-${hash}-${attempt}`;
}
