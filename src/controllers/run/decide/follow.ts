import { reasons } from "../../../api/v1alpha1/index.ts";
import { hasPassed, lookAfterMs } from "../../../domain/clocks/deadline.ts";
import { failedStatus } from "../../failed-prompt.ts";
import type { RunDecision, RunEffect, RunEvent } from "../effects.ts";
import { type Child, type FollowFacts, needsPrompt, outcomesOf } from "../facts.ts";
import { endedStatus, goingStatus, sweepDeadline } from "../lifecycle.ts";
import { otherAccount } from "../ownership.ts";
import { foldVerdict, hasFailure, resultOf, type SessionOutcome, type Verdict } from "../verdict.ts";
import { countEnd, strikeEarly, type TallyFacts } from "./tally.ts";

/** Decides for a started Run: missing first prompts, then the verdict once its sessions have ended or time is up. */
export function decideFollow(facts: FollowFacts, now: Date): RunDecision {
  const { run, automation } = facts;
  if (!automation) return { effects: [{ kind: "deleteRun" }] };
  const tally = { ...facts, automation, now };
  const outcomes = outcomesOf(facts);
  const verdict = foldVerdict(outcomes);
  if (verdict) return { effects: end(tally, verdict, outcomes) };
  const deadline = sweepDeadline(run.status?.startTime ?? now.toISOString(), run.status?.executionBudgetMs ?? 0);
  const going = goingOf(facts.children, outcomes);
  if (hasPassed(deadline, now)) return { effects: sweep(tally, going, outcomes) };
  const waiting = going.filter(needsPrompt).flatMap(({ session }) => session ?? []);
  const refused = waiting.map((session) => otherAccount(session, automation)).find((one) => one !== undefined);
  if (refused) return decideGiveUp(facts, refused, now);
  return {
    effects: [
      // One failed session is the Run's strike; it is not held back until the others have ended.
      ...(hasFailure(outcomes) ? strikeEarly(tally) : []),
      ...waiting.map((session) => ({ kind: "createPrompt" as const, automation, session })),
      { kind: "writeRun", status: goingStatus(run, outcomes, now) },
    ],
    requeueMs: lookAfterMs(deadline.atMs, now),
  };
}

/** Ends a Run, started or not, with a verdict that does not come from its sessions; sessions under way are stopped. */
export function decideGiveUp(facts: FollowFacts, verdict: Verdict, now: Date): RunDecision {
  const { run, automation, children } = facts;
  const outcomes = outcomesOf(facts);
  const settle = settlePrompts(goingOf(children, outcomes), verdict.reason, now);
  const ended = outcomes.filter(({ state }) => state !== "going");
  if (automation) return { effects: [...settle, ...end({ ...facts, automation, now }, verdict, ended)] };
  const status = endedStatus(run, verdict, { outcomes: ended, result: undefined, now });
  return { effects: [...settle, { kind: "writeRun", status }] };
}

/** The sessions without an outcome. */
function goingOf(children: readonly Child[], outcomes: readonly SessionOutcome[]): Child[] {
  return children.filter((_, index) => outcomes[index]?.state === "going");
}

function end(tally: TallyFacts, verdict: Verdict, outcomes: readonly SessionOutcome[]): RunEffect[] {
  const { run, now } = tally;
  const status = endedStatus(run, verdict, { outcomes, result: resultOf(outcomes), now });
  return [...countEnd(tally, verdict), { kind: "writeRun", status, events: [endEvent(verdict)] }];
}

/**
 * Ends a Run without a result in time. The prompts are settled first, so that their sessions stop before the next Run
 * starts. Where a prompt got its own verdict meanwhile, the write fails and the next pass counts that verdict.
 */
function sweep(tally: TallyFacts, going: readonly Child[], outcomes: readonly SessionOutcome[]): RunEffect[] {
  const reason = reasons.executionTimeout;
  const swept = outcomes.map((outcome) => {
    return outcome.state === "going" ? { ...outcome, state: "failed" as const, reason } : outcome;
  });
  const verdict = { succeeded: false, reason: foldVerdict(swept)?.reason ?? reason, message: sweptMessage };
  return [...settlePrompts(going, reason, tally.now), ...end(tally, verdict, swept)];
}

const sweptMessage = "No result came within the execution budget and 100 minutes";

function settlePrompts(going: readonly Child[], reason: string, now: Date): RunEffect[] {
  const message = "The Run ended before a result came";
  return going.flatMap(({ prompt, session }) => {
    if (!prompt) return [];
    return [{ kind: "settlePrompt" as const, prompt, status: failedStatus(prompt, { reason, message }, now, session) }];
  });
}

function endEvent({ succeeded, reason, message }: Verdict): RunEvent {
  return { on: "Run", type: succeeded ? "Normal" : "Warning", reason, note: message || reason };
}
