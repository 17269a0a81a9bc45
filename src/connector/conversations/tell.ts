import {
  Conversation,
  type ConversationStatus,
  type Integration,
  type Post,
  Prompt,
} from "../../api/v1alpha1/index.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf } from "../../lib/resource.ts";
import type { ConnectorMetrics } from "../metrics/connector-metrics.ts";
import { ProviderError } from "../provider-error.ts";
import { judgedStatus } from "./lifecycle.ts";
import type { DuePost } from "./due-post.ts";
import { afterTry, isSilent, mediaPost, withPosts } from "./posts.ts";
import { afterShowing } from "./progress.ts";
import type { Provider } from "./provider.ts";
import { afterSign } from "./signs.ts";

export interface TellDeps {
  provider: Provider;
  client: Pick<KubeClient, "find" | "patchStatus">;
  clock: Pick<Clock, "now">;
  events: Pick<EventRecorder, "record">;
  connectorMetrics: Pick<ConnectorMetrics, "postEnded">;
}

export interface About {
  integration: Integration;
  conversation: Conversation;
}

/**
 * Posts at the provider and writes what came of it. Where the process ends in between, they are posted again: with ids by which
 * the provider knows them, or after a search for them where it does not.
 */
export async function tellPosts(
  deps: TellDeps,
  { integration, conversation }: About,
  due: readonly DuePost[],
  signal: AbortSignal,
): Promise<void> {
  const about = { integration, conversation: await withCallsNoted(deps, conversation, due, signal) };
  const told = new Map<string, Post>();
  for (const one of due) {
    if (signal.aborted) break;
    for (const post of await toldPosts(deps, about, one)) told.set(post.id, post);
  }
  const stored = await writePosts(deps, about.conversation, told, signal);
  for (const post of told.values()) noteEnd(deps, stored, post);
}

/** Notes the begin of calls whose repeat the provider would not know. */
async function withCallsNoted(
  deps: TellDeps,
  conversation: Conversation,
  due: readonly DuePost[],
  signal: AbortSignal,
): Promise<Conversation> {
  const callTime = deps.clock.now().toISOString();
  const noted = due.flatMap(({ post, isDropped = false }): [string, Post][] =>
    !deps.provider.notesCalls(post) || isDropped || post.callTime !== undefined
      ? []
      : [[post.id, { ...post, callTime }]],
  );
  return noted.length === 0 ? conversation : writePosts(deps, conversation, new Map(noted), signal);
}

function writePosts(
  { client, clock }: TellDeps,
  conversation: Conversation,
  changed: ReadonlyMap<string, Post>,
  signal: AbortSignal,
): Promise<Conversation> {
  const known = conversation.status?.posts ?? [];
  const added = [...changed.values()].filter(({ id }) => !known.some((post) => post.id === id));
  const now = known.map((post) => changed.get(post.id) ?? post);
  const posts = added.length === 0 ? now : withPosts(now, added);
  const status: ConversationStatus = judgedStatus(conversation, { ...conversation.status, posts }, clock.now());
  return client.patchStatus(Conversation, conversation, status, { signal });
}

async function toldPosts(deps: TellDeps, about: About, due: DuePost): Promise<Post[]> {
  if (due.isDropped) return [{ ...due.post, progress: "Dropped" }];
  return due.sign ? [await showSign(deps, about, due)] : tellOne(deps, about, due);
}

/** The post after that, and what is to be posted next for it. Caches leave the agent's text out, so the Prompt is read. */
async function tellOne({ provider, client, clock }: TellDeps, about: About, due: DuePost): Promise<Post[]> {
  const { post, prompt: cached, session, shows } = due;
  try {
    const prompt = cached && (await client.find(Prompt, keyOf(cached)));
    if (isSilent(post, prompt)) return [{ ...post, progress: "Dropped" }];
    if (shows) {
      await provider.post(about, { post: { ...post, text: shows.text }, session }, prompt);
      return [afterShowing(post, shows, clock.now())];
    }
    const messageTS = await provider.post(about, { post, session }, prompt);
    const sent = {
      ...afterTry(post, undefined, clock.now()),
      ...(messageTS !== undefined && shownAs(post, messageTS)),
    };
    return [sent, mediaPost(sent, prompt) ?? []].flat();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return [afterTry(noted(about.conversation, post, error), error, clock.now())];
  }
}

/** The answer after a sign of life. */
async function showSign(
  { provider, clock }: Pick<TellDeps, "provider" | "clock">,
  about: About,
  due: DuePost,
): Promise<Post> {
  try {
    await provider.post(about, due, undefined);
    return afterSign(due.post, undefined, clock.now());
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return afterSign(due.post, error, clock.now());
  }
}

function shownAs({ slack }: Post, messageTS: string): Pick<Post, "slack"> {
  return slack ? { slack: { ...slack, messageTS } } : {};
}

/** Only after an outcome that is not known the next try begins with a search. */
function noted({ status }: Conversation, post: Post, { failure }: ProviderError): Post {
  if (failure !== "unavailable") return post;
  return status?.posts?.find(({ id }) => id === post.id) ?? post;
}

function noteEnd(
  { events, connectorMetrics }: TellDeps,
  conversation: Conversation,
  { kind, progress, problem = "" }: Post,
): void {
  if (progress !== "Sent" && progress !== "GivenUp" && progress !== "Dropped") return;
  connectorMetrics.postEnded(kind, progress);
  if (progress !== "GivenUp") return;
  const note = `${kind} was given up: ${problem}`;
  events.record({
    regarding: referenceTo(Conversation, conversation),
    type: "Warning",
    reason: reasons.postsGivenUp,
    note,
  });
}
