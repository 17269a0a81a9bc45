import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { ChildSessions, Session } from "../../api/v1alpha1/session.ts";

/** A child that exists. */
export interface ObservedChild {
  uid: string;
  /** Whether it has a prompt that has not ended, or waits for its first one. */
  isWorking: boolean;
  /** When it no longer counts as waiting for its first prompt (milliseconds since 1970); absent once it had one or got none in time. */
  awaitsPromptUntilMs?: number | undefined;
  /** Whether its own status says that its prompts wait for a place. */
  isQueued: boolean;
  /** Whether its own status shows the refusal. */
  isRefused: boolean;
  /** Its prompts, and those of its own children, that have not ended. */
  unfinished: readonly { prompt: Prompt; session: Session }[];
  /** Why it is refused whatever the limits are, for people. */
  problem?: string | undefined;
}

export interface ChildLimits {
  maxConcurrentChildSessions: number;
  maxTotalChildSessions: number;
}

/** How long a child's idle sandbox waits for a follow-up prompt at most, in seconds. */
export const childIdleTimeoutSeconds = 600;

/** The limits without settings. */
export const usualChildLimits: ChildLimits = { maxConcurrentChildSessions: 5, maxTotalChildSessions: 15 };

/**
 * A child is stored before its first prompt. It counts as working for this long without one, in milliseconds: its
 * creator may have failed in between.
 */
export const firstPromptGraceMs = 120_000;

/** Maximum of refusals in a parent's status; they leave it once the children's own statuses show them. */
const mostRefusals = 100;

/**
 * Admits children in their order as far as the limits allow and refuses the others for good. Every child that was ever
 * admitted counts towards the total, deleted ones too. An admitted child that has a prompt again works on it when fewer
 * than the limit are at work; until then it waits.
 */
export function admitChildren(
  known: ChildSessions | undefined,
  children: readonly ObservedChild[],
  limits: ChildLimits,
): ChildSessions | undefined {
  if (!known && children.length === 0) return undefined;
  const { admitted, refused } = stillKnown(known, children);
  const working = stillWorking(known, children, limits);
  for (const { uid, problem } of undecided(known, children)) {
    if (refused.length >= mostRefusals) break;
    const message = problem ?? childLimitProblem({ total: admitted.length, active: working.length }, limits);
    if (message === undefined) {
      admitted.push(uid);
      working.push(uid);
    } else {
      refused.push({ uid, message });
    }
  }
  return { admitted, active: working.length, working, ...(refused.length > 0 ? { refused } : {}) };
}

/** Children that go on working, then as many of those that wait as there is room for. */
function stillWorking(
  known: ChildSessions | undefined,
  children: readonly ObservedChild[],
  { maxConcurrentChildSessions }: ChildLimits,
): string[] {
  const busy = new Set(children.filter(({ isWorking }) => isWorking).map(({ uid }) => uid));
  const wanting = (known?.admitted ?? []).filter((uid) => busy.has(uid));
  // A status of an earlier version says nothing of who works.
  const before = new Set(known?.working ?? wanting);
  const going = wanting.filter((uid) => before.has(uid));
  const waiting = wanting.filter((uid) => !before.has(uid));
  return [...going, ...waiting.slice(0, Math.max(0, maxConcurrentChildSessions - going.length))];
}

/** Drops refusals that the children's own statuses show, and those of deleted children. */
function stillKnown(
  known: ChildSessions | undefined,
  children: readonly ObservedChild[],
): { admitted: string[]; refused: NonNullable<ChildSessions["refused"]> } {
  const waiting = new Set(children.filter(({ isRefused }) => !isRefused).map(({ uid }) => uid));
  return {
    admitted: [...(known?.admitted ?? [])],
    refused: (known?.refused ?? []).filter(({ uid }) => waiting.has(uid)),
  };
}

function undecided(known: ChildSessions | undefined, children: readonly ObservedChild[]): ObservedChild[] {
  const decided = new Set([...(known?.admitted ?? []), ...(known?.refused ?? []).map(({ uid }) => uid)]);
  return children.filter(({ uid, isRefused }) => !isRefused && !decided.has(uid));
}

/** Why there can be no further child; undefined: there can. */
export function childLimitProblem(
  { total, active }: { total: number; active: number },
  { maxConcurrentChildSessions, maxTotalChildSessions }: ChildLimits,
): string | undefined {
  if (total >= maxTotalChildSessions) {
    return `a session may have at most ${maxTotalChildSessions} child sessions in all (maxTotalChildSessions)`;
  }
  if (active >= maxConcurrentChildSessions) {
    return `a session may have at most ${maxConcurrentChildSessions} child sessions at work at once (maxConcurrentChildSessions)`;
  }
  return undefined;
}
