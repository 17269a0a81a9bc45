import { type IntegrationEvent, mostSigns, type Post, type Prompt, type Session } from "../../api/v1alpha1/index.ts";
import { stableUuid } from "../../domain/integrations/names.ts";
import type { ProviderError } from "../provider-error.ts";
import type { DuePost } from "./due-post.ts";
import { stageOf } from "./progress.ts";
import { rulesOf } from "./rules.ts";

// Signs of life: Linear shows an agent that has said nothing for 30 minutes as gone, and people wait for longer than that.

/** Milliseconds between signs. */
const pauseMs = 1_200_000;
/** Milliseconds after one that failed: two more tries are within the 30 minutes. */
const failedPauseMs = 300_000;

/** When people read for the first time that their request is still worked on. */
export function firstSign(event: IntegrationEvent, now: Date): Pick<Post, "signTime"> {
  return rulesOf(event).wantsSigns ? { signTime: new Date(now.getTime() + pauseMs).toISOString() } : {};
}

/** The sign that is due for an answer whose prompt has not ended. */
export function dueSign(post: Post, session: Session | undefined, prompt: Prompt, now: Date): DuePost[] {
  const { id, signTime, signs = 0 } = post;
  if (signTime === undefined || Date.parse(signTime) > now.getTime()) return [];
  const text = stageOf(session, prompt) === "working" ? "Still at work." : "Still waiting for a sandbox.";
  return [{ post, session, sign: { id: stableUuid("Sign", id, String(signs)), text } }];
}

/** An answer after a sign; `error` is undefined where it was shown. None comes after the last, and after one that is refused. */
export function afterSign(post: Post, error: ProviderError | undefined, now: Date): Post {
  const signs = Math.min((post.signs ?? 0) + 1, mostSigns);
  if (signs === mostSigns || error?.failure === "refused") return { ...post, signs, signTime: undefined };
  const waitMs = error ? Math.max(failedPauseMs, error.retryAfterMs ?? 0) : pauseMs;
  return { ...post, signs, signTime: new Date(now.getTime() + waitMs).toISOString() };
}
