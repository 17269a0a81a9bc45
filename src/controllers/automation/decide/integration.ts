import {
  type Automation,
  conditionTypes,
  type Integration,
  type Reason,
  reasons,
} from "../../../api/v1alpha1/index.ts";
import { findCondition } from "../../../domain/conditions.ts";
import { missedSubscriptions, subscriptionOf } from "../../../domain/integrations/github-subscriptions.ts";
import { servesRepository } from "../../../domain/integrations/serves-repository.ts";
import type { TriggeringIntegration } from "../observe/integration.ts";

/** Why no event of the Integration fires an automation; undefined where they do, and for triggers without one. */
export function integrationProblem(
  automation: Automation,
  integration: TriggeringIntegration | undefined,
): { reason: Reason; message: string } | undefined {
  if (!integration) return undefined;
  const { name, type, found } = integration;
  if (!found) return { reason: reasons.integrationNotFound, message: `There is no Integration ${name}` };
  if (found.spec.type !== type) {
    const message = `Integration ${name} is of type ${found.spec.type}, and not of ${type}`;
    return { reason: reasons.integrationNotFound, message };
  }
  return notReady(found) ?? notServed(automation, found) ?? notSubscribed(automation, found);
}

function notReady({ metadata, spec, status }: Integration): { reason: Reason; message: string } | undefined {
  const of = (why: string) => ({
    reason: reasons.integrationNotReady,
    message: `Integration ${metadata.name ?? ""} ${why}`,
  });
  if (spec.suspend) return of("is suspended, so its events start nothing");
  const ready = findCondition(status?.conditions, conditionTypes.ready);
  if (!ready) return of("has not been looked at yet");
  return ready.status === "True" ? undefined : of(`is not ready: ${ready.reason}: ${ready.message}`);
}

function notServed(
  { spec: { targets } }: Automation,
  integration: Integration,
): { reason: Reason; message: string } | undefined {
  const { metadata, spec } = integration;
  const target = targets[0]?.repositoryRef?.name;
  if (!spec.github || target === undefined || servesRepository(integration, target)) return undefined;
  const message = `Repository ${target} is none of github.repositories of Integration ${metadata.name ?? ""}`;
  return { reason: reasons.targetNotServed, message };
}

/** Before GitHub was asked for the first time, nothing is missed. */
function notSubscribed(
  { spec: { trigger } }: Automation,
  { metadata, status }: Integration,
): { reason: Reason; message: string } | undefined {
  const subscribed = status?.github?.events;
  const types = trigger.github?.events ?? [];
  const missed = subscribed ? missedSubscriptions(types, subscribed) : [];
  if (missed.length === 0) return undefined;
  const unsent = types.filter((type) => missed.includes(subscriptionOf(type)));
  const message = `The App of Integration ${metadata.name ?? ""} is not subscribed to ${missed.join(" and ")}, so GitHub does not send ${unsent.join(" and ")}`;
  return { reason: reasons.eventsNotSubscribed, message };
}
