import { conditionTypes, type IntegrationEvent, reasons } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { shownAge } from "./age.ts";

export interface SkippedFeedback {
  /** The latest on a pull request that a session owns. */
  tracked: IntegrationEvent | undefined;
  /** Pull requests of no session, each once, however much was said on it. */
  untracked: number;
}

/** What became of an event. */
export function verdictOf(event: IntegrationEvent | undefined) {
  return findCondition(event?.status?.conditions, conditionTypes.succeeded);
}

/** Whether an event of a pull request was left alone by a check, which is no failure. */
export function isSkip(event: IntegrationEvent): boolean {
  const { status, reason } = verdictOf(event) ?? {};
  const action = event.spec.github?.action ?? "";
  return status === "False" && ofPullRequests.includes(action) && reason !== reasons.providerUnavailable;
}

export function skippedFeedback(newestFirst: readonly IntegrationEvent[]): SkippedFeedback {
  const skips = newestFirst.filter(isSkip);
  const untracked = skips
    .filter(isUntracked)
    .map(({ spec: { github } }) => `${github?.repository?.id ?? ""}/${github?.number ?? ""}`);
  return { tracked: skips.find((event) => !isUntracked(event)), untracked: new Set(untracked).size };
}

/** Such as `AutofixDisabled 5m ago; untracked pull requests: 12`. */
export function shownSkips({ tracked, untracked }: SkippedFeedback, now: Date): string {
  const last = tracked && `${verdictOf(tracked)?.reason ?? ""} ${shownAge(tracked.spec.receivedTime, now)} ago`;
  const others = untracked === 0 ? undefined : `untracked pull requests: ${untracked}`;
  return [last, others].filter((text) => text !== undefined).join("; ");
}

const ofPullRequests: readonly string[] = ["Reviewed", "Commented", "Changed"];

function isUntracked(event: IntegrationEvent): boolean {
  return verdictOf(event)?.reason === reasons.untrackedPullRequest;
}
