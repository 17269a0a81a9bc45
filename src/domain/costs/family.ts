import type { Session } from "../../api/v1alpha1/session.ts";
import { deepestChild } from "../children/parent.ts";
import { greaterAmount, sumOfAmounts } from "./amount.ts";

export interface FamilyView {
  /** The children of a session that exist. */
  childrenOf: (session: Session) => readonly Session[];
  /** What a sandbox has cost beyond what its session's status counts, in US dollars; left out: not known here. */
  uncounted?: (session: Session) => string;
}

/** What a session and all sessions below it have cost, those that were deleted too, in US dollars. */
export function costOfFamily(session: Session, view: FamilyView, levels = deepestChild): string {
  const below = levels === 0 ? [] : childCosts(session, view, levels - 1).map(({ costUsd }) => costUsd);
  return sumOfAmounts([costOfSession(session, view), ...below]);
}

/** What a session alone has cost, in US dollars. */
export function costOfSession(session: Session, { uncounted }: Pick<FamilyView, "uncounted">): string {
  return sumOfAmounts([session.status?.costUsd ?? "0", uncounted?.(session) ?? "0"]);
}

/**
 * What each child has cost with those below it, in US dollars; without those that have cost nothing. A child that was
 * deleted has cost what its parent's status says.
 */
export function childCosts(
  session: Session,
  view: FamilyView,
  levels = deepestChild - 1,
): { uid: string; costUsd: string }[] {
  const costs = new Map((session.status?.children?.costs ?? []).map(({ uid, costUsd }) => [uid, costUsd]));
  for (const child of view.childrenOf(session)) {
    const { uid = "" } = child.metadata;
    const costUsd = greaterAmount(costOfFamily(child, view, levels), costs.get(uid) ?? "0");
    if (costUsd !== "0") costs.set(uid, costUsd);
  }
  return [...costs].map(([uid, costUsd]) => ({ uid, costUsd }));
}
