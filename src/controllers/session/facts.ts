import { labels } from "../../api/v1alpha1/names.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { ChildSessions, Session } from "../../api/v1alpha1/session.ts";
import type { ObservedChild } from "../../domain/children/admit.ts";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import type { AttemptFacts, CreatedAttempt } from "../sandbox/facts.ts";
import type { FamilyCost } from "./decide/cost.ts";
import type { Queue } from "./decide/queue.ts";
import type { ChildVerdict } from "./observe/family.ts";

/** The attempt that a start would be, and the prompt that it would be for. */
export interface DueStart {
  attempt: number;
  forPromptUID: string | undefined;
  /** It replaces one that failed to start for the same prompt. */
  replacement: boolean;
  /** The sandbox from a pool that it replaces did not answer: it is created anew, and does not count as a replacement. */
  isAfterPool: boolean;
  /** Pods of former attempts that do not go away, and beside which this one is started. */
  givenUp: readonly string[];
}

/** A pod that this process created, or adopted, and has not recorded in the status yet. */
export type UnrecordedStart = CreatedAttempt & Pick<DueStart, "forPromptUID" | "replacement">;

/** A pod or prompt of a former session of this name, which went without it. */
export interface Leftover {
  resource: Resource<KubeObject>;
  object: KubeObject;
}

/** All that a decision about one session rests on, read once. */
export interface SessionFacts extends AttemptFacts {
  session: Session;
  /** The session's prompts, those in deletion left out, in the order of their creation. */
  prompts: readonly Prompt[];
  queue: Queue;
  /** There are prompts that are not looked at before the Run's own one is there. */
  awaitsFirst?: boolean | undefined;
  /** What its parent has decided about a child session. */
  verdict?: ChildVerdict | undefined;
  /** Its own children. */
  children: readonly ObservedChild[];
  /** What its children have cost with those below them. */
  childCosts?: NonNullable<ChildSessions["costs"]> | undefined;
  /** Its family where that counts for its cost limit. */
  family?: FamilyCost | undefined;
  leftovers: readonly Leftover[];
  start?: UnrecordedStart | undefined;
  /** The start that is due by what is stored; what it needs is in `ready`. */
  due?: DueStart | undefined;
  /** The last turns of the conversation with their texts, where a pod may be created. */
  turns?: readonly Prompt[] | undefined;
  /** The payload of the session's Run, where a pod may be created whose agent gets it as a file. */
  payload?: string | undefined;
}

/** A session that a Run, a session or a Conversation made is deleted with it; without an owner it was orphaned in the deletion. */
export function isLeftBehind({ metadata }: Session): boolean {
  const {
    [labels.runUid]: run,
    [labels.parentUid]: parent,
    [labels.conversationUid]: conversation,
  } = metadata.labels ?? {};
  const isMade = [run, parent, conversation].some((uid) => uid !== undefined);
  return isMade && (metadata.ownerReferences ?? []).length === 0;
}

/** What is left where there is no session of this name. */
export interface AbsentFacts {
  leftovers: readonly Leftover[];
  /** Unfinished prompts of people that name the session. */
  lostPrompts: readonly Prompt[];
}
