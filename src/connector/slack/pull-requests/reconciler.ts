import {
  annotations,
  Conversation,
  type Integration,
  IntegrationEvent,
  type Post,
  Prompt,
  reasons,
  Session,
} from "../../../api/v1alpha1/index.ts";
import { pullRequestOf } from "../../../domain/pull-requests/wish.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Reconciler } from "../../../kube/controller.ts";
import type { EventRecorder } from "../../../kube/event-recorder.ts";
import { referenceTo } from "../../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/outcome.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyOf, keyText, type ObjectKey } from "../../../lib/resource.ts";
import { promptNameFor } from "../../conversations/facts.ts";
import { judgedStatus, settledStatus, type Verdict } from "../../conversations/lifecycle.ts";
import { readIntegration } from "../../conversations/observe.ts";
import { byCreation } from "../../conversations/turns.ts";
import { withPosts } from "../../conversations/posts.ts";
import { refusedVerdict } from "../../conversations/refuse.ts";
import { opensWhenAsked } from "../../github/pull-requests/wanting.ts";
import { type ConnectorInformers, indexNames } from "../../informers.ts";
import type { ConnectorMetrics } from "../../metrics/connector-metrics.ts";
import { ProviderError } from "../../provider-error.ts";
import { readAgainMs } from "../../read-again.ts";
import { unlessRefused } from "../../unless-refused.ts";
import { judgeAccess } from "../access.ts";
import { escaped } from "../answer-messages.ts";
import { slackOf, slackRules } from "../rules.ts";
import type { SlackApi } from "../slack-api.ts";
import type { UserGroups } from "../user-groups.ts";
import { decidePress, forgotten, ownPost, verdictOfPress } from "./decide.ts";
import { type AnsweredBranch, pressedAnswer } from "./facts.ts";

export interface PressDeps {
  client: Pick<KubeClient, "find" | "patch" | "patchStatus">;
  clock: Pick<Clock, "now">;
  slack: Pick<SlackApi, "call">;
  groups: Pick<UserGroups, "hasMember">;
  events: Pick<EventRecorder, "record">;
  connectorMetrics: Pick<ConnectorMetrics, "eventSettled">;
  informers: Pick<ConnectorInformers, "integrations" | "repositories" | "environments" | "events" | "pullRequests">;
}

/**
 * Handles presses of the buttons under a Conversation's answers. Each is noted on the answer's Prompt, the connector opens the
 * pull request as it does for all who ask, and what came of it is posted by the Conversation, once. All is read from the API server:
 * a press must see what the one before it wrote.
 */
export class PressReconciler implements Reconciler {
  readonly #deps: PressDeps;

  constructor(deps: PressDeps) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { informers } = this.#deps;
    const presses = informers.events.byIndex(indexNames.button, keyText(key)).sort(byCreation);
    const waits: number[] = [];
    for (const event of presses) {
      const integration = readIntegration(informers, event);
      const waitMs = integration && (await this.#handle(key, integration, event, signal));
      if (waitMs !== undefined) waits.push(waitMs);
    }
    return waits.length === 0 ? done : requeueAfter(Math.min(...waits));
  }

  /** Milliseconds after which the press is looked at again; undefined where it is settled. */
  async #handle(
    key: ObjectKey,
    integration: Integration,
    event: IntegrationEvent,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    try {
      const found = await this.#deps.client.find<Conversation>(Conversation, key);
      const isItsOwn = found?.spec.integrationRef.uid === integration.metadata.uid;
      if (found && isItsOwn) return await this.#go(integration, event, found, signal);
      await this.#tellForgotten(integration, event, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const waitMs = readAgainMs(event, error, this.#deps.clock.now());
      if (waitMs === undefined) await this.#settle(event, refusedVerdict("ProviderUnavailable", error.message), signal);
      return waitMs;
    }
  }

  async #go(
    integration: Integration,
    event: IntegrationEvent,
    conversation: Conversation,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const now = this.#deps.clock.now();
    const told = ownPost(conversation, event);
    if (told) {
      await this.#settle(event, verdictOfPress(told), signal);
      return undefined;
    }
    const mayAsk = await this.#mayAsk(integration, event);
    const answered = mayAsk ? await this.#answered(conversation, event) : undefined;
    const step = decidePress({ event, mayAsk, answered }, now);
    if (step.kind === "wait") return step.ms;
    if (step.kind === "ask") await this.#ask(integration, event, step, signal);
    else await this.#tell(conversation, step.post, signal);
    return 0;
  }

  /** The Conversation that could have it posted is gone. */
  async #tellForgotten(integration: Integration, event: IntegrationEvent, signal: AbortSignal): Promise<void> {
    const { channelID: channel, threadTS, actor } = slackOf(event);
    const note = { channel, user: actor?.id ?? "", text: escaped(forgotten), ...(threadTS && { thread_ts: threadTS }) };
    await unlessRefused(
      this.#deps.slack.call(integration, "chat.postEphemeral", (web) => web.chat.postEphemeral(note)),
    );
    await this.#settle(event, refusedVerdict("PullRequestNotOpened", forgotten), signal);
  }

  async #mayAsk(integration: Integration, event: IntegrationEvent): Promise<boolean> {
    const { spec } = integration;
    const access = judgeAccess(spec, slackOf(event));
    if (access !== "members") return access === "all";
    return this.#deps.groups.hasMember(integration, spec.access.userGroups, slackOf(event).actor?.id ?? "");
  }

  async #answered(conversation: Conversation, event: IntegrationEvent): Promise<AnsweredBranch | undefined> {
    const { client, informers } = this.#deps;
    const { namespace } = conversation.metadata;
    const answer = pressedAnswer(conversation, event);
    const session = answer && (await client.find<Session>(Session, { namespace, name: answer.sessionName ?? "" }));
    if (!session || session.metadata.deletionTimestamp !== undefined) return undefined;
    const prompt = await this.#promptOf(answer, session);
    const branch = prompt?.status?.result?.branch;
    if (!prompt || branch === undefined) return undefined;
    const pullRequest = pullRequestOf(informers.pullRequests.list(namespace), session, branch);
    return { prompt, session, branch, pullRequest, opensWhenAsked: opensWhenAsked(this.#deps, session, branch) };
  }

  async #promptOf({ promptName, eventUID }: Post, session: Session): Promise<Prompt | undefined> {
    const { namespace, name } = session.metadata;
    const key = { namespace, name: promptName ?? promptNameFor(session, eventUID) };
    const prompt = await this.#deps.client.find<Prompt>(Prompt, key);
    return prompt?.spec.sessionRef.name === name ? prompt : undefined;
  }

  async #ask(
    integration: Integration,
    event: IntegrationEvent,
    { answered: { prompt }, requestedAt }: { answered: AnsweredBranch; requestedAt: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, events } = this.#deps;
    // The UID is a precondition: a new prompt of the same name is not changed.
    const metadata = { uid: prompt.metadata.uid, annotations: { [annotations.pullRequestRequestedAt]: requestedAt } };
    const asked = await client.patch<Prompt>(Prompt, keyOf(prompt), { metadata }, { signal });
    events.record({
      regarding: referenceTo(Prompt, asked),
      type: "Normal",
      reason: reasons.pullRequestRequested,
      note: `${slackRules.requesterOf(integration, event)} asked for the pull request of its branch`,
    });
  }

  async #tell(conversation: Conversation, post: Post, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    const posts = withPosts(conversation.status?.posts, [post]);
    const status = judgedStatus(conversation, { ...conversation.status, posts }, clock.now());
    await client.patchStatus(Conversation, conversation, status, { signal });
  }

  async #settle(event: IntegrationEvent, verdict: Verdict, signal: AbortSignal): Promise<void> {
    const { client, clock, connectorMetrics } = this.#deps;
    await client.patchStatus(IntegrationEvent, event, settledStatus(event, verdict, clock.now()), { signal });
    connectorMetrics.eventSettled(verdict.reason);
  }
}
