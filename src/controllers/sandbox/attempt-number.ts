import { labels } from "../../api/v1alpha1/names.ts";
import type { ObjectMeta } from "../../lib/resource.ts";

/** The sandbox attempt that a Pod or bundle Secret of ours belongs to; 0 when its label says none. */
export function attemptOf({ labels: own }: ObjectMeta): number {
  const attempt = Number(own?.[labels.attempt]);
  return Number.isSafeInteger(attempt) ? attempt : 0;
}
