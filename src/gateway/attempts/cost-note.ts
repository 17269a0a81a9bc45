import { costUsd as CostText } from "../../api/v1alpha1/outcome.ts";
import { annotations } from "../../api/v1alpha1/names.ts";
import { isAtOrOver } from "../../domain/costs/amount.ts";
import type { Lease } from "../../kube/core-resources.ts";
import type { Notes } from "./silence.ts";

/**
 * Milliseconds between two writes of a cost that grows. With a cost limit the prompt is to be stopped within 5 s of passing
 * it; without one the note only bounds what is unknown of a sandbox that is lost.
 */
export const costNoteMs = { limited: 4_000, unlimited: 60_000 } as const;

/** The cost where a Lease says less, or nothing that can be read; `costUsd` is decimal text. */
export function costNotes({ metadata }: Lease, costUsd: string | undefined): Notes {
  if (costUsd === undefined) return {};
  const { data: said } = CostText(32).safeParse(metadata.annotations?.[annotations.costUsd]);
  return said !== undefined && isAtOrOver(said, costUsd) ? {} : { [annotations.costUsd]: costUsd };
}
