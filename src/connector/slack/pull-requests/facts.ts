import type {
  Conversation,
  IntegrationEvent,
  Post,
  Prompt,
  PullRequest,
  Session,
} from "../../../api/v1alpha1/index.ts";
import type { ObjectKey } from "../../../lib/resource.ts";

/** Key of the Conversation whose answer has the button that was pressed; events of one are handled one after another. */
export function buttonKeyOf({ metadata: { namespace }, spec }: IntegrationEvent): ObjectKey {
  return { namespace, name: spec.slack?.choice?.value ?? "" };
}

/** A branch that an answer is about, with what is known of its pull request. */
export interface AnsweredBranch {
  prompt: Prompt;
  session: Session;
  branch: string;
  pullRequest: PullRequest | undefined;
  /** Whether an Integration opens it when it is asked for. */
  opensWhenAsked: boolean;
}

/** What a decision about a press rests on. */
export interface PressFacts {
  event: IntegrationEvent;
  mayAsk: boolean;
  /** Undefined where answer, prompt or session are gone, or the prompt has no branch. */
  answered: AnsweredBranch | undefined;
}

/** The answer whose button was pressed, as it is where the press says that it is; undefined where it is no longer known. */
export function pressedAnswer({ status }: Conversation, { spec }: IntegrationEvent): Post | undefined {
  const { choice, channelID, threadTS } = spec.slack ?? {};
  return status?.posts?.find(
    ({ id, kind, slack }) =>
      id === choice?.postID && kind === "Answer" && slack?.channelID === channelID && slack?.threadTS === threadTS,
  );
}
