import type { PromptOutcome } from "../../api/runtime/messages.ts";
import type { PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import type { OutputRelay } from "../output/output-relay.ts";

/** How a prompt ended, before git is asked for the branch and commit, and the meter for its cost. */
export type TurnEnd = Pick<PromptOutcome, "message" | "summary" | "branch" | "commit"> & {
  verdict: "succeeded" | "failed";
  usage?: Tokens | undefined;
};

/** As far as the agent reported them. */
export type Tokens = Pick<NonNullable<PromptOutcome["usage"]>, "inputTokens" | "outputTokens">;

export interface AskedPrompt {
  uid: string;
  text: string;
  images: readonly PromptImage[];
}

/** One prompt that the agent processes. */
export interface Turn {
  /** Never rejects. */
  readonly ended: Promise<TurnEnd>;
  /** Ends the turn soon; its result is no longer used. */
  cancel(): void;
}

/** An agent's protocol. Turns come one at a time. */
export interface Conversation {
  /** Makes the agent ready for prompts; the problem for people, or undefined. */
  open(): Promise<string | undefined>;
  /** Waits until what the agent says can no longer be of the turn before. */
  rest(signal: AbortSignal): Promise<void>;
  turn(prompt: AskedPrompt, output: Pick<OutputRelay, "take">): Turn;
}
