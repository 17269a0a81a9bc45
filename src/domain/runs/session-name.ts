import { createHash } from "node:crypto";

import { base32 } from "../../lib/base32.ts";

/** Characters of a Run's name that fit a DNS label of 63 with `-<index>` and `-1` appended. */
const longestRunName = 59;

/** Name of a Run's session on its target of this index, counted from 0. */
export function sessionName(runName: string, index: number): string {
  if (runName.length <= longestRunName) return `${runName}-${index}`;
  const hash = base32(createHash("sha256").update(runName).digest()).slice(0, 8);
  return `${runName.slice(0, longestRunName - 9)}-${hash}-${index}`;
}
