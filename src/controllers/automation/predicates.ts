import { annotations, type Automation, conditionTypes, type Integration, type Run } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { succeededOf } from "../../domain/runs/run-state.ts";
import type { Change } from "../../kube/cache.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { isSpecChange } from "../predicates.ts";

/** Another spec or a request to resume; changes of the status alone are the controllers' own. */
export function isWantedChange(change: Change<Automation>): boolean {
  const [now, before] = [change.object, change.old].map((one) => {
    return one?.metadata.annotations?.[annotations.resumeRequestedAt];
  });
  return isSpecChange(change) || now !== before;
}

/** An Integration has another spec, became ready or not, or GitHub says something else of it. */
export function isIntegrationChange(change: Change<Integration>): boolean {
  const [now, before] = [change.object, change.old].map((one) => {
    const { status, reason, message } = findCondition(one?.status?.conditions, conditionTypes.ready) ?? {};
    return { status, reason, message, events: one?.status?.github?.events };
  });
  return isSpecChange(change) || !jsonEqual(now ?? {}, before ?? {});
}

/** A Run was started, skipped, settled or deleted. */
export function isVerdict({ type, object, old }: Change<Run>): boolean {
  if (type !== "updated") return succeededOf(object) !== undefined;
  return succeededOf(object)?.reason !== succeededOf(old)?.reason;
}
