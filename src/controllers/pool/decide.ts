import type { Condition } from "../../api/v1alpha1/conditions.ts";
import { conditionTypes, labels } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { PoolMember, SandboxPoolStatus } from "../../api/v1alpha1/sandbox-pool.ts";
import { type Mark, type MarkedAt, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { withForeignPolicies } from "../foreign-policies-mark.ts";
import { sandboxPodName } from "../sandbox/pod/names.ts";
import type { ObservedPod } from "../sandbox/facts.ts";
import type { ObservedMember, PoolFacts } from "./facts.ts";

/** One write for a pool, in order. */
export type PoolEffect =
  | { kind: "deletePod"; pod: ObservedPod }
  | { kind: "writeStatus"; status: SandboxPoolStatus }
  | { kind: "createPod"; number: number };

/**
 * What to do for a pool now. A member is written before its pod is created and stays until the pod is gone or has become a
 * session's, so there are never more pods than members, whatever a cache shows:
 *
 * ```
 *   pods of another revision, ended, or too many ──▶ deleted, and no members once they are gone
 *   members whose pod is gone or was taken       ──▶ no members any more; while sessions take some, those stay
 *   fewer members than wanted                    ──▶ new numbers in the status, then their pods
 * ```
 */
export function decide(facts: PoolFacts, now: Date): PoolEffect[] {
  const { pool, members, unnamed, made, obstacle, isBusy = false } = facts;
  const stored = pool.status ?? {};
  const revision = "missing" in made ? undefined : made.revision;
  const left = members.filter(({ isGone }) => !isGone);
  const wanted = Math.min(pool.spec.replicas, facts.room.places);
  const isFit = ({ member, pod }: ObservedMember): boolean =>
    member.revision === revision && !pod?.ended && !pod?.isTerminating;
  const fit = left.filter(isFit);
  // Those that already wait stay.
  const kept = [...fit].sort((one, other) => rank(other) - rank(one)).slice(0, wanted);
  const creates = revision !== undefined && obstacle === undefined;
  const added = creates && !isBusy ? newMembers(facts, wanted - left.length, revision) : [];
  // Of a member that must go, and that has no pod yet, none is created.
  const next = members.filter((one) => {
    if (one.isGone) return isBusy && one.isTaken === true;
    return kept.includes(one) || one.pod !== undefined || one.member.podUID !== undefined;
  });
  const recorded = [...next.map(withUid), ...added];
  const status = shown(facts, { stored, members: recorded, kept, wanted, revision }, now);
  const going = left.flatMap((one) => (kept.includes(one) || !one.pod ? [] : [one.pod]));
  const lacksPod = ({ member, isVerified }: ObservedMember): boolean => member.podUID === undefined && !isVerified;
  const toCreate = creates ? kept.filter(lacksPod) : [];
  return [
    ...[...going, ...unnamed].filter(({ isTerminating }) => !isTerminating).map(deletion),
    ...(jsonEqual(stored, status) ? [] : [{ kind: "writeStatus" as const, status }]),
    ...[...toCreate.map(({ member }) => member), ...added].map(({ number }) => ({
      kind: "createPod" as const,
      number,
    })),
  ];
}

function deletion(pod: ObservedPod): PoolEffect {
  return { kind: "deletePod", pod };
}

function rank({ isWaiting, pod }: ObservedMember): number {
  if (isWaiting) return 2;
  return pod?.isStarted ? 1 : 0;
}

function withUid({ member, pod, isVerified }: ObservedMember): PoolMember {
  return member.podUID === undefined && pod && isVerified ? { ...member, podUID: pod.uid } : member;
}

function newMembers({ pool }: PoolFacts, count: number, revision: string): PoolMember[] {
  const { lastNumber = 0 } = pool.status ?? {};
  const { name = "", uid = "" } = pool.metadata;
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const number = lastNumber + index + 1;
    return { number, podName: sandboxPodName({ name, uid }, number), revision };
  });
}

interface Shown {
  stored: SandboxPoolStatus;
  members: PoolMember[];
  kept: readonly ObservedMember[];
  wanted: number;
  revision: string | undefined;
}

function shown(facts: PoolFacts, what: Shown, now: Date): SandboxPoolStatus {
  const { stored, members, kept, revision } = what;
  const { metadata } = facts.pool;
  const taken = facts.members.filter(({ isTaken }) => isTaken);
  const replacedLater = facts.isBusy ? taken.length : 0;
  const readyReplicas = shownWaiting(facts, kept.filter(({ isWaiting }) => isWaiting).length + replacedLater);
  const lastNumber = Math.max(stored.lastNumber ?? 0, ...members.map(({ number }) => number));
  const at = { now, generation: metadata.generation };
  const stalled = "missing" in facts.made ? facts.made.missing : facts.obstacle;
  const marks: Mark[] = [
    readiness(facts, what, readyReplicas),
    ...(stalled ? [{ type: conditionTypes.stalled, status: "True" as const, ...stalled }] : []),
  ];
  const passed = withoutConditions(stored.conditions, stalled ? [] : [conditionTypes.stalled]);
  return {
    ...stored,
    replicas: members.length,
    readyReplicas,
    selector: `${labels.ownerUid}=${metadata.uid ?? ""}`,
    revision: revision ?? stored.revision,
    lastNumber,
    lastClaimTime: taken.length > replacedLater ? now.toISOString() : stored.lastClaimTime,
    members,
    conditions: withWarning(facts, { members, conditions: withMarks(passed, marks, at) }, at),
    observedGeneration: metadata.generation,
  };
}

/** With a warning of others' policies; what is not known stays as it is, and without sandboxes there is nothing to warn of. */
function withWarning(
  { foreignPolicies }: PoolFacts,
  { members, conditions }: { members: readonly PoolMember[]; conditions: Condition[] },
  at: MarkedAt,
): Condition[] | undefined {
  const names = members.length === 0 ? [] : foreignPolicies;
  return names ? withForeignPolicies(conditions, names, at) : conditions;
}

function shownWaiting({ pool, isGathering }: PoolFacts, waiting: number): number {
  return isGathering ? Math.min(waiting, pool.status?.readyReplicas ?? 0) : waiting;
}

function readiness({ pool, room, made, obstacle }: PoolFacts, { kept, wanted }: Shown, waiting: number): Mark {
  const { replicas } = pool.spec;
  const no = (why: Pick<Mark, "reason" | "message">): Mark => ({ type: conditionTypes.ready, status: "False", ...why });
  if ("missing" in made) return no(made.missing);
  if (waiting >= replicas) {
    const message = "as many sandboxes wait as are wanted";
    return { type: conditionTypes.ready, status: "True", reason: reasons.poolFull, message };
  }
  if (wanted < replicas) return no({ reason: reasons.poolBounded, message: room.why });
  if (obstacle) return no(obstacle);
  const [hindered] = kept.flatMap(({ pod }) => pod?.waiting ?? []);
  if (hindered) return no({ reason: hindered.reason, message: hindered.message });
  return no({ reason: reasons.poolFilling, message: "sandboxes are being created" });
}
