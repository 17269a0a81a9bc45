import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import { longestQueue } from "../../../domain/prompts/queue-limit.ts";
import type { ChildVerdict } from "../observe/family.ts";
import { type FamilyCost, reachedCost } from "./cost.ts";

/** The session's unfinished prompts under the queue that is stored. */
export interface Queue {
  /** Admitted ones, then those that are within the limit and not in the stored queue yet; the first one first. */
  unfinished: readonly Prompt[];
  /** Those beyond the limit. */
  excess: readonly Prompt[];
  /** The prompt that is being processed, while it is unfinished. */
  current?: Prompt | undefined;
}

/** Sorts the session's prompts; those that have ended or are gone have left the queue. */
export function queueOf({ status = {} }: Pick<Session, "status">, prompts: readonly Prompt[]): Queue {
  const unfinished = new Map(
    prompts.filter((prompt) => !isSettled(prompt)).map((prompt) => [prompt.metadata.uid ?? "", prompt]),
  );
  const admitted = (status.queue ?? []).flatMap((uid) => unfinished.get(uid) ?? []);
  const queued = new Set(status.queue);
  const others = [...unfinished.values()].filter(({ metadata }) => !queued.has(metadata.uid ?? ""));
  const room = Math.max(0, longestQueue - admitted.length);
  return {
    unfinished: [...admitted, ...others.slice(0, room)],
    excess: others.slice(room),
    current: unfinished.get(status.currentPrompt?.uid ?? ""),
  };
}

/** Prompts that may be worked on now: none that would start at or over the cost limit, or beside too many other children. */
export function workOf(
  facts: {
    session: Pick<Session, "spec">;
    queue: Queue;
    verdict?: ChildVerdict | undefined;
    family?: FamilyCost | undefined;
  },
  status: SessionStatus,
): readonly Prompt[] {
  const { queue, verdict } = facts;
  const isHeld = waitsForParent(verdict) || reachedCost(facts, status) !== undefined;
  if (!isHeld) return queue.unfinished;
  return queue.current ? [queue.current] : [];
}

/** Whether a child has to wait until fewer of its parent's children are at work. */
export function waitsForParent(verdict: ChildVerdict | undefined): boolean {
  return verdict?.kind === "admitted" && !verdict.mayWork;
}
