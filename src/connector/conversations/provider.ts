import type { Conversation, Integration, IntegrationEvent, Post, Prompt } from "../../api/v1alpha1/index.ts";
import type { ConversationFacts, Reading } from "./facts.ts";
import type { DuePost } from "./due-post.ts";

/** What a provider is asked for a decision. */
export type Read = Omit<Extract<Reading, { kind: "read" }>, "kind">;

/** Calls of one provider; all of them throw a ProviderError where they fail. */
export interface Provider {
  /** Reads what the first event that waits is about. */
  read(facts: ConversationFacts, now: Date): Promise<Read>;
  /**
   * Posts once, also where an earlier call of the same post may have been carried out; gives the message that it is shown as, where
   * a later post changes that.
   */
  post(
    about: { integration: Integration; conversation: Conversation },
    due: DuePost,
    prompt: Prompt | undefined,
  ): Promise<string | undefined>;
  /** Whether calls of a post are noted before they begin, since the provider does not know a repeated one by itself. */
  notesCalls(post: Post): boolean;
  /** The workspace, or at GitHub the App, that the credentials are of. */
  workspace(integration: Integration): Promise<{ id: string; name: string }>;
  /** Whether an event is still to be acknowledged at once, as far as the provider asks for that. */
  isAcknowledging?(event: IntegrationEvent): boolean;
}

export type Providers = Readonly<Record<Integration["spec"]["type"], Provider>>;
