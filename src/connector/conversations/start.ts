import type {
  Conversation,
  ConversationStatus,
  IntegrationEvent,
  Post,
  Session,
  Target,
} from "../../api/v1alpha1/index.ts";
import { sessionName as nameOfSession } from "../../domain/integrations/names.ts";
import type { ProviderError } from "../provider-error.ts";
import { readAgainMs } from "../read-again.ts";
import { laterOf } from "../slack/slack-time.ts";
import { type Decision, write } from "./decision.ts";
import { hasMapping, type Reading } from "./facts.ts";
import { newPost } from "./posts.ts";
import { firstShownTime } from "./progress.ts";
import { noted, withoutQuestions } from "./questions.ts";
import { refuse } from "./refuse.ts";
import { rulesOf } from "./rules.ts";
import { firstSign } from "./signs.ts";

/** 7 days from the request that started a session, or from the last follow-up where the provider's rules say so. */
const mappingMs = 604_800_000;

/** The prompt goes to the session that is there; `reading` is undefined where the provider is not asked. */
export function followUp(
  conversation: Conversation,
  { event, session, reading }: { event: IntegrationEvent; session: Session; reading: Reading | undefined },
  { now, added = [] }: { now: Date; added?: readonly Post[] },
): Decision {
  const rules = rulesOf(event);
  const { name: sessionName } = session.metadata;
  const answer = newPost("Answer", event, { progress: "Waiting", sessionName, ...firstSign(event, now) });
  const status: ConversationStatus = {
    ...conversation.status,
    lastPromptTime: now.toISOString(),
    ...(rules.slides && { expireTime: new Date(now.getTime() + mappingMs).toISOString() }),
    ...timeWith(conversation, event, reading),
  };
  return write(conversation, status, [withAfter(answer, conversation), ...reaction(event, session), ...added], now);
}

/** Marks the person's message until the request is done. */
function reaction(event: IntegrationEvent, { metadata: { name } }: Session): Post[] {
  const rules = rulesOf(event);
  const messageTS = rules.timeOf?.(event);
  const post = newPost("Reaction", event, { progress: "Waiting", sessionName: name });
  if (!rules.showsProgress || !post.slack || messageTS === undefined) return [];
  return [{ ...post, slack: { ...post.slack, messageTS } }];
}

interface Started {
  event: IntegrationEvent;
  /** Events whose texts belong to the request, too. */
  requestUIDs?: readonly string[];
  /** The event of the person who asked; left out, it is the same. */
  asked?: IntegrationEvent;
  target: Target;
  reading: Reading | undefined;
}

/** A new session, whatever was before. */
export function start(
  conversation: Conversation,
  started: Started,
  { now, added = [] }: { now: Date; added?: readonly Post[] },
): Decision {
  const { event, target, reading } = started;
  const { name = "", uid = "" } = conversation.metadata;
  const generation = (conversation.status?.generation ?? 0) + 1;
  const sessionName = nameOfSession({ name, uid }, generation);
  const status: ConversationStatus = {
    ...conversation.status,
    generation,
    sessionName,
    startEventUID: event.metadata.uid,
    target,
    startTime: now.toISOString(),
    expireTime: new Date(now.getTime() + mappingMs).toISOString(),
    lastPromptTime: now.toISOString(),
    ...timeWith(conversation, event, reading),
    posts: withoutQuestions(conversation, event),
  };
  return write(conversation, status, [...startPosts(conversation, started, { sessionName, now }), ...added], now);
}

function startPosts(
  conversation: Conversation,
  { event, requestUIDs = [], asked = event, target }: Started,
  { sessionName, now }: { sessionName: string; now: Date },
): Post[] {
  const rules = rulesOf(event);
  const isLost = rules.askOf(event) === "Prompted" && requestUIDs.length === 0 && hasMapping(conversation, now);
  return [
    {
      ...newPost("Answer", event, { progress: "Waiting", sessionName, ...firstSign(event, now) }),
      ...noted(requestUIDs),
    },
    ...rules.startPosts(asked, sessionName, target).map(({ kind, ...rest }) => newPost(kind, event, rest)),
    ...(rules.showsProgress
      ? [newPost("Progress", event, { progress: "Waiting", sessionName, nextTryTime: firstShownTime(now) })]
      : []),
    ...(isLost ? [newPost("Note", event, { progress: "Pending", text: sessionLost })] : []),
  ];
}

const sessionLost = "The earlier session is gone, so a new one was started.";

/** The last prompt's time moves forward only, and not where the messages before it could not be read. */
function timeWith(
  { status }: Conversation,
  event: IntegrationEvent,
  reading: Reading | undefined,
): Pick<ConversationStatus, "lastPromptTS"> {
  const time = rulesOf(event).timeOf?.(event);
  if (time === undefined || reading?.kind !== "read" || !reading.isWhole) return {};
  return { lastPromptTS: laterOf(status?.lastPromptTS, time) };
}

/** The messages that the prompt shows begin after the last prompt's. */
function withAfter(answer: Post, { status }: Conversation): Post {
  if (!answer.slack || status?.lastPromptTS === undefined) return answer;
  return { ...answer, slack: { ...answer.slack, afterTS: status.lastPromptTS } };
}

export function readLater(
  conversation: Conversation,
  event: IntegrationEvent,
  error: ProviderError,
  now: Date,
): Decision {
  const requeueMs = readAgainMs(event, error, now);
  if (requeueMs === undefined) {
    const text = "What this is about could not be read, so nothing was started. Ask again later.";
    return refuse(conversation, event, { reason: "ProviderUnavailable", message: text, text }, now);
  }
  return { effects: [], requeueMs };
}
