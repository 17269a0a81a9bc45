import { reasons } from "../../../api/v1alpha1/index.ts";
import { earliest, lookAfterMs } from "../../../domain/clocks/deadline.ts";
import { failedStatus } from "../../failed-prompt.ts";
import { isHeld, isQueued } from "../../queued-session.ts";
import type { RunDecision, RunEffect, RunEvent } from "../effects.ts";
import { type Child, type FollowFacts, needsPrompt, outcomesOf } from "../facts.ts";
import { endedStatus, goingStatus } from "../lifecycle.ts";
import { otherAccount } from "../ownership.ts";
import { withPassedOver } from "../passed-over.ts";
import { outcomeInTime, sessionDeadline } from "../session-clock.ts";
import { foldVerdict, hasFailure, resultOf, type SessionOutcome, type Verdict } from "../verdict.ts";
import { countEnd, strikeEarly, type TallyFacts } from "./tally.ts";

/** Decides for a started Run: missing first prompts, then the verdict once its sessions have ended or their time is up. */
export function decideFollow(facts: FollowFacts, now: Date): RunDecision {
  const { run, automation } = facts;
  if (!automation) return { effects: [{ kind: "deleteRun" }] };
  const tally = { ...facts, automation, now };
  const { outcomes, settle } = inTime(facts, outcomesOf(facts), now);
  const verdict = foldVerdict(outcomes);
  if (verdict) {
    // What follows for a Run that never began, such as its idempotency key, is seen to at once.
    const isSkipped = verdict.reason === reasons.skipped;
    return {
      effects: [...settle, ...end(tally, verdict, outcomes, facts.children)],
      requeueMs: isSkipped ? 0 : undefined,
    };
  }
  const going = goingOf(facts.children, outcomes);
  const waiting = going.filter(needsPrompt).flatMap(({ session }) => session ?? []);
  const refused = waiting.map((session) => otherAccount(session, automation)).find((one) => one !== undefined);
  if (refused) return decideGiveUp(facts, refused, now);
  const deadline = earliest(going.map((child) => sessionDeadline(run, child)));
  const queued = going.flatMap(({ session }) => (session && isQueued(session) ? [session] : []));
  const held = going.flatMap(({ session }) => (session && isHeld(session) ? [session] : []));
  return {
    effects: [
      ...settle,
      // One failed session is the Run's strike; it is not held back until the others have ended.
      ...(hasFailure(outcomes) ? strikeEarly(tally) : []),
      ...waiting.map((session) => ({ kind: "createPrompt" as const, automation, session })),
      {
        kind: "writeRun",
        status: withPassedOver(goingStatus(run, { outcomes, queued, held, deadline }, now), { ...facts, now }),
      },
    ],
    requeueMs: lookAfterMs(deadline?.atMs ?? Infinity, now),
  };
}

/**
 * The outcomes with those of sessions whose time is up, and the ends of their prompts. These come first, so that the sessions
 * stop before the next Run starts. Where a prompt got its own verdict meanwhile, the write fails and the next pass counts that.
 */
function inTime(
  { run, children }: FollowFacts,
  own: readonly SessionOutcome[],
  now: Date,
): { outcomes: readonly SessionOutcome[]; settle: RunEffect[] } {
  const late = children.map((child, at) => (own[at]?.state === "going" ? outcomeInTime(run, child, now) : undefined));
  const isOver = own.every(({ state }, at) => state !== "going" || late[at] !== undefined);
  // What ends a session of a Run that goes on is kept by its first prompt, which is made before if need be.
  const counted = children.map(({ prompt }, at) => (isOver || prompt ? late[at] : undefined));
  return {
    outcomes: own.map((outcome, at) => counted[at] ?? outcome),
    settle: children.flatMap((child, at) => (counted[at] ? settlePrompt(child, counted[at], now) : [])),
  };
}

/** Ends a Run, started or not, with a verdict that does not come from its sessions; sessions under way are stopped. */
export function decideGiveUp(facts: FollowFacts, verdict: Verdict, now: Date): RunDecision {
  const { run, automation, children } = facts;
  const outcomes = outcomesOf(facts);
  const failure = { reason: verdict.reason, message: "The Run ended before a result came" };
  const settle = goingOf(children, outcomes).flatMap((child) => settlePrompt(child, failure, now));
  const ended = outcomes.filter(({ state }) => state !== "going");
  if (automation) return { effects: [...settle, ...end({ ...facts, automation, now }, verdict, ended, children)] };
  const status = withPassedOver(endedStatus(run, verdict, { outcomes: ended, result: undefined, now }), {
    ...facts,
    now,
  });
  return { effects: [...settle, { kind: "writeRun", status }] };
}

/** The sessions without an outcome. */
function goingOf(children: readonly Child[], outcomes: readonly SessionOutcome[]): Child[] {
  return children.filter((_, index) => outcomes[index]?.state === "going");
}

function end(
  tally: TallyFacts,
  verdict: Verdict,
  outcomes: readonly SessionOutcome[],
  children: readonly Child[],
): RunEffect[] {
  const { run, now } = tally;
  const ended = endedStatus(run, verdict, { outcomes, result: resultOf(outcomes), now });
  const status = withPassedOver(ended, { run, children, now });
  return [...countEnd(tally, verdict), { kind: "writeRun", status, events: [endEvent(verdict)] }];
}

function settlePrompt(
  { prompt, session }: Child,
  failure: { reason: string; message: string },
  now: Date,
): RunEffect[] {
  return prompt ? [{ kind: "settlePrompt", prompt, status: failedStatus(prompt, failure, now, session) }] : [];
}

function endEvent({ succeeded, reason, message, cause = reason }: Verdict): RunEvent {
  return { on: "Run", type: succeeded ? "Normal" : "Warning", reason: cause, note: message || reason };
}
