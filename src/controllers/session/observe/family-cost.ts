import { attemptName } from "../../../api/v1alpha1/names.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import { rootOf } from "../../../domain/children/parent.ts";
import { excessOf } from "../../../domain/costs/amount.ts";
import { childCosts, costOfFamily, costOfSession, type FamilyView } from "../../../domain/costs/family.ts";
import { costLimitOf, reachedLimit } from "../../../domain/costs/limit.ts";
import { keyOf, type ObjectKey } from "../../../lib/resource.ts";
import { uidKeyOf } from "../../kind-informers.ts";
import { costNoted } from "../../sandbox/observe/lease-notes.ts";
import type { SessionFacts } from "../facts.ts";
import { byParentIndex, type SessionInformers } from "../informers.ts";

/** Where the costs of families are read. */
export interface FamilyCostDeps {
  informers: Pick<SessionInformers, "leases"> & {
    sessions: Pick<SessionInformers["sessions"], "get" | "byIndex">;
  };
  sessionsNamespace: string;
}

/** What is known of a session's family; `family` is left out where nothing of it counts. */
export function observeFamilyCost(deps: FamilyCostDeps, session: Session): Pick<SessionFacts, "family" | "childCosts"> {
  const root = rootIn(deps, session);
  const view = viewOf(deps);
  const othersCostUsd = excessOf(costOfFamily(root, view), costOfSession(session, view));
  const above = root === session ? undefined : root;
  return {
    childCosts: childCosts(session, { childrenOf: view.childrenOf }),
    ...(above || othersCostUsd !== "0" ? { family: { root: above, othersCostUsd } } : {}),
  };
}

/** Keys of a session's whole family where that has reached its cost limit; none below the limit. */
export function familyAtLimit(deps: FamilyCostDeps, session: Session): ObjectKey[] {
  const root = rootIn(deps, session);
  if (!reachedLimit(costOfFamily(root, viewOf(deps)), costLimitOf(root))) return [];
  return [keyOf(root), ...keysBelow(deps, root)];
}

/** Keys of all sessions below one. */
export function keysBelow(deps: FamilyCostDeps, session: Session): ObjectKey[] {
  const children = childrenIn(deps, session);
  return [...children, ...children.flatMap((child) => childrenIn(deps, child))].map(keyOf);
}

function viewOf(deps: FamilyCostDeps): Required<FamilyView> {
  return {
    childrenOf: (session) => childrenIn(deps, session),
    uncounted: (session) => uncountedIn(deps, session),
  };
}

function childrenIn({ informers }: FamilyCostDeps, session: Session): Session[] {
  return informers.sessions.byIndex(byParentIndex, uidKeyOf(session));
}

function rootIn({ informers }: FamilyCostDeps, session: Session): Session {
  const { namespace } = session.metadata;
  return rootOf(session, ({ name, uid }) => {
    const above = informers.sessions.get({ namespace, name });
    return above?.metadata.uid === uid ? above : undefined;
  });
}

/** What the gateway noted and the status does not count yet. */
function uncountedIn({ informers, sessionsNamespace }: FamilyCostDeps, { metadata, status }: Session): string {
  const { attempt, costUsd = "0", endTime } = status?.sandbox ?? {};
  if (attempt === undefined || endTime !== undefined) return "0";
  const lease = informers.leases.get({ namespace: sessionsNamespace, name: attemptName(metadata.uid ?? "", attempt) });
  return excessOf((lease && costNoted(lease)) ?? "0", costUsd);
}
