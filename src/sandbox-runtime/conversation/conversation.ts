import type { PromptOutcome } from "../../api/runtime/messages.ts";
import type { PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import type { OutputRelay } from "../steps/output-relay.ts";

/** What one prompt came to, before git is asked what it changed. */
export type TurnEnd = Pick<PromptOutcome, "message" | "summary" | "branch" | "commit" | "usage"> & {
  verdict: "succeeded" | "failed";
};

/** What the agent is asked. */
export interface AskedPrompt {
  uid: string;
  text: string;
  images: readonly PromptImage[];
}

/** One prompt at the agent. */
export interface Turn {
  /** Never rejects. */
  readonly ended: Promise<TurnEnd>;
  /** Ends the turn soon; what it came to no longer matters. */
  cancel(): void;
}

/** How an agent is spoken to. Turns come one at a time. */
export interface Conversation {
  /** Brings the agent to where prompts can begin; the problem in a sentence, or undefined. */
  open(): Promise<string | undefined>;
  turn(prompt: AskedPrompt, output: Pick<OutputRelay, "take">): Turn;
}
