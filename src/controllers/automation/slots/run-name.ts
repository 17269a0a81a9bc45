import { createHash } from "node:crypto";

import { base32 } from "../../../lib/base32.ts";

/** Characters of the Automation's name that a Run's name begins with. */
const prefixCharacters = 30;
const uidCharacters = 8;

/**
 * The name of the one Run that a slot of an Automation can have, the same for every controller:
 * `nightly-202605040300-k3v5xq2a`, the slot in UTC and a hash of the UID.
 */
export function slotRunName(automation: { name: string; uid: string }, slot: Date): string {
  const prefix = automation.name.slice(0, prefixCharacters).replace(/-+$/, "");
  const time = slot.toISOString().replace(/[-:T]/g, "").slice(0, 12);
  const hash = base32(createHash("sha256").update(automation.uid, "utf8").digest()).slice(0, uidCharacters);
  return `${prefix}-${time}-${hash}`;
}
