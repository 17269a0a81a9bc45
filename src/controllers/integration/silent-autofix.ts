import { type Integration, type Reason, type Repository, reasons } from "../../api/v1alpha1/index.ts";
import { servesRepository } from "../../domain/integrations/serves-repository.ts";
import { effectiveAutofix, type EffectiveAutofix } from "../../domain/pull-requests/autofix-settings.ts";

/** Why no feedback can come though autofix is on, in a sentence that says what to do. */
export interface SilentAutofix {
  reason: Reason;
  message: string;
}

/** Undefined where feedback can come, or is not wanted; `repositories` are those of the Integration's namespace. */
export function silentAutofix(
  integration: Integration,
  repositories: readonly Repository[],
): SilentAutofix | undefined {
  const { github, suspend } = integration.spec;
  if (!github || suspend) return undefined;
  const served = repositories.filter(({ metadata }) => servesRepository(integration, metadata.name));
  const wanted = served
    .map(({ spec }) => effectiveAutofix([github.autofix, spec.autofix]))
    .filter(({ enabled }) => enabled);
  if (wanted.length === 0) return undefined;
  if (github.pullRequests === undefined) return { reason: reasons.pullRequestsNotWatched, message: notWatched };
  const subscribed = integration.status?.github?.events;
  const missed = subscribed ? eventsOf(wanted).filter((name) => !subscribed.includes(name)) : [];
  if (missed.length === 0) return undefined;
  const events = missed.join(" and ");
  const message = `Autofix is enabled, and the App is not subscribed to ${events}, so GitHub does not send that feedback. In the App's settings, Permissions & events, subscribe to ${events}`;
  return { reason: reasons.eventsNotSubscribed, message };
}

const notWatched =
  "Autofix is enabled, and github.pullRequests is left out, so no pull request is watched and no feedback comes. Set github.pullRequests to Draft, Ready or OnRequest";

/** What feedback comes by, in GitHub's words. */
function eventsOf(wanted: readonly EffectiveAutofix[]): string[] {
  return [
    ...(wanted.some(({ reviewsEnabled }) => reviewsEnabled) ? ["pull_request_review"] : []),
    ...(wanted.some(({ pullRequestCommentsEnabled }) => pullRequestCommentsEnabled) ? ["issue_comment"] : []),
  ];
}
