import { createHash } from "node:crypto";
import { base32 } from "../../../lib/base32.ts";
import type { ObjectMeta } from "../../../lib/resource.ts";

/** What names of a session are made of. */
export type SessionName = Pick<ObjectMeta, "name" | "uid">;

/**
 * Name of the pod of one sandbox attempt: `<first 20 of the session>-<8 of its UID's hash>-<attempt>`. It is
 * deterministic, so that a pod whose creation was not recorded is found again, and a session that was re-created under its
 * name never meets its predecessor's pods.
 */
export function sandboxPodName(session: SessionName, attempt: number): string {
  return `${sessionLabel(session)}-${attempt}`;
}

/** `<first 20 of the session>-<8 of its UID's hash>`: part of names that are the session's in the whole cluster. */
export function sessionLabel({ name = "", uid = "" }: SessionName): string {
  const hash = base32(createHash("sha256").update(uid).digest()).slice(0, 8);
  return `${name.slice(0, 20).replace(/-+$/, "")}-${hash}`;
}
