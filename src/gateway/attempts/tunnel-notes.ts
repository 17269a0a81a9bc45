import { annotations } from "../../api/v1alpha1/names.ts";
import type { Lease } from "../../kube/core-resources.ts";
import type { Notes } from "./silence.ts";

/** How far the Lease may be behind, in milliseconds: a person who works causes one write in so long. */
const behindMs = 60_000;

/** When the sandbox was last used through a tunnel, where a Lease does not say it well enough. */
export function tunnelNotes({ metadata }: Lease, used: Date | undefined): Notes {
  if (!used) return {};
  const noted = Date.parse(metadata.annotations?.[annotations.tunnelTime] ?? "");
  return used.getTime() - noted < behindMs ? {} : { [annotations.tunnelTime]: used.toISOString() };
}
