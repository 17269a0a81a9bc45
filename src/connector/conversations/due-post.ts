import { finishedProgress } from "../../api/v1alpha1/conversation.ts";
import type { Post, Prompt, Session } from "../../api/v1alpha1/index.ts";

/** What is needed to post it. */
export interface DuePost {
  post: Post;
  /** Undefined where what it waited for is gone. */
  prompt?: Prompt | undefined;
  session?: Session | undefined;
  /** Posted no more; it is only written down. */
  isDropped?: boolean;
  /** A sign of life that is posted in place of an answer, which goes on to wait. */
  sign?: { id: string; text: string };
  /** Of a post that shows a state: which one, and whether none comes after it. */
  shows?: { text: string; isLast: boolean };
}

/** Whether nothing is left to do for a post. */
export function isFinished({ progress }: Post): boolean {
  return finishedProgress.includes(progress);
}
