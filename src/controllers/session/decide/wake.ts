import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { earliest } from "../../../domain/clocks/deadline.ts";
import type { ClockLimits } from "../../../domain/clocks/limits.ts";
import { askedAboutAt } from "../../sandbox/observe/pod-events.ts";
import type { SessionFacts } from "../facts.ts";
import { savingStarts } from "./saving.ts";
import { costShownAt } from "./cost.ts";
import { bootShownAt, phaseShownAt, recordDeadlineMs, startHeldUntil, wantsSandbox } from "./start.ts";
import { connectGoesOn, deadlinesOf } from "./terms.ts";

/** How often a start that waits for a person or for a place is tried again without an event: 1 minute. */
const obstacleRetryMs = 60_000;

/** How often a VolumeSnapshot that is being made is looked at: 2 seconds. */
const volumeSnapshotLookMs = 2_000;

/** When to look again without an event, in milliseconds since 1970; undefined: an event has to come. */
export function wakeAt(facts: SessionFacts, status: SessionStatus, now: Date, limits: ClockLimits): number | undefined {
  const nowMs = now.getTime();
  const instants = [
    earliest(deadlinesOf(facts, status, limits))?.atMs,
    savingStarts(facts, status)?.atMs,
    // Nothing watches VolumeSnapshots: a cluster may have no such kind.
    (facts.volumeSnapshot ?? facts.olderSnapshots) && nowMs + volumeSnapshotLookMs,
    facts.start && recordDeadlineMs(facts.start.createTime),
    ...shownInstants(facts, status),
    connectGoesOn(facts, status),
    podAskedAboutAt(facts, status, now),
    facts.awaitsFirst ? nowMs + obstacleRetryMs : undefined,
    ...facts.children.map(({ awaitsPromptUntilMs }) => awaitsPromptUntilMs),
    ...startInstants(facts, now),
  ];
  const ahead = instants.filter((atMs = 0) => atMs > nowMs && Number.isFinite(atMs)).map(Number);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

function podAskedAboutAt({ pods }: SessionFacts, { sandbox }: SessionStatus, now: Date): number | undefined {
  if (!sandbox || sandbox.endTime !== undefined) return undefined;
  const pod = pods.find(({ attempt }) => attempt === sandbox.attempt);
  return askedAboutAt(pod, sandbox.createTime, now);
}

/** When a start that is wanted may become possible. */
function startInstants(facts: SessionFacts, now: Date): (number | undefined)[] {
  if (!wantsSandbox(facts)) return [];
  return [startHeldUntil(facts, now), facts.obstacle && now.getTime() + obstacleRetryMs];
}

/** When a boot is shown, whether or not the runtime has connected, as that brings no event; what boot is at; and its cost. */
function shownInstants({ session }: SessionFacts, { sandbox }: SessionStatus): (number | undefined)[] {
  const stored = session.status?.sandbox;
  return sandbox ? [bootShownAt(sandbox), phaseShownAt(stored, sandbox), costShownAt(stored, sandbox)] : [];
}
