import type { Automation, Integration, IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import { keyedRunName } from "../../../domain/object-names.ts";
import { messageKey } from "../../../domain/integrations/slack-wanted.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { done, type Outcome as Passed, requeueAfter } from "../../../kube/outcome.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyText, type ObjectKey } from "../../../lib/resource.ts";
import { sleep } from "../../../lib/sleep.ts";
import { nameOf, type Outcome } from "../../automations/lifecycle.ts";
import { settleOrWait, unseenWaitMs } from "../../automations/settle.ts";
import type { Startable, Starts } from "../../automations/starts.ts";
import { wantingAutomations } from "../../automations/wanting.ts";
import { isUnsettled } from "../../conversations/facts.ts";
import { readIntegration } from "../../conversations/observe.ts";
import { type ConnectorInformers, indexNames } from "../../informers.ts";
import type { ConnectorMetrics } from "../../metrics/connector-metrics.ts";
import { ProviderError } from "../../provider-error.ts";
import { slackOf } from "../rules.ts";
import type { SlackApi } from "../slack-api.ts";
import { compareTimes } from "../slack-time.ts";
import type { UserGroups } from "../user-groups.ts";
import { type Course, courseOf } from "./decide.ts";
import { detailsOf } from "./details.ts";
import { deniedTo, judgeMessage } from "./judge.ts";
import { readSurroundings } from "./read-surroundings.ts";
import { type AboutThread, noteEarly, noteStart, observeThread, steer } from "./thread.ts";

export interface ChannelMessagesDeps {
  client: KubeClient;
  clock: Clock;
  slack: Pick<SlackApi, "call">;
  groups: Pick<UserGroups, "hasMember">;
  informers: Pick<ConnectorInformers, "integrations" | "events" | "automations" | "prompts">;
  connectorMetrics: Pick<ConnectorMetrics, "eventSettled">;
  starts: Starts;
  /** Started Runs, by name, whose thread is not known to be noted. */
  unnoted: Set<string>;
}

type ReplyCourse = Extract<Course, { kind: "steer" | "early" }>;

/** What the agent is to see of a message, read once for all Automations. */
type Payload = () => Promise<string>;

/** Handles messages of channels, those of one thread in their order. What one Automation waits for keeps no other from its Run. */
export class ChannelMessages {
  readonly #deps: ChannelMessagesDeps;
  readonly #signal: AbortSignal;

  constructor(deps: ChannelMessagesDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Handles the oldest message of a thread; when that is settled, its change has the next one handled. */
  async reconcile(thread: ObjectKey): Promise<Passed> {
    const { informers, clock } = this.#deps;
    const waiting = informers.events.byIndex(indexNames.thread, keyText(thread)).filter(isUnsettled);
    const [event] = waiting.sort((left, right) => compareTimes(timeOf(left), timeOf(right)));
    const integration = event && readIntegration(informers, event);
    // Events of an Integration are deleted with it.
    if (!event || !integration) return done;
    const { channelID } = slackOf(event);
    const wants = ({ slack }: Automation["spec"]["trigger"]): boolean => slack?.channels.includes(channelID) ?? false;
    const automations = wantingAutomations(informers, event, wants);
    const unseenMs = unseenWaitMs(event, clock.now());
    if (automations.length === 0 && unseenMs !== undefined) return requeueAfter(unseenMs);
    const outcomes = await this.#handleAll(event, integration, automations);
    const waitMs = await settleOrWait(this.#deps, event, outcomes, this.#signal);
    return waitMs === undefined ? done : requeueAfter(waitMs);
  }

  async #handleAll(
    event: IntegrationEvent,
    integration: Integration,
    automations: readonly Automation[],
  ): Promise<Outcome[]> {
    let read: Promise<string> | undefined;
    const payload: Payload = () => (read ??= this.#read(event, integration));
    const outcomes: Outcome[] = [];
    for (const automation of automations) {
      // They take time; messages of other tenants are handled in between.
      if (hasExpressions(automation)) await sleep(this.#deps.clock, 0);
      const about = { integration, automation, event };
      outcomes.push((await this.#known(about)) ?? (await this.#handle(about, payload)));
    }
    return outcomes;
  }

  /** What became of a message in an earlier pass, which may have failed before it noted the thread of its Run. */
  async #known(about: AboutThread): Promise<Outcome | undefined> {
    const known = this.#deps.starts.known(about.event, about.automation);
    if (known?.became === "triggered") await this.#note(about, runNameOf(about));
    return known;
  }

  async #note(about: AboutThread, runName: string): Promise<void> {
    const { unnoted } = this.#deps;
    if (!unnoted.has(runName)) return;
    await noteStart(this.#deps, about, runName, this.#signal);
    unnoted.delete(runName);
  }

  async #read(event: IntegrationEvent, integration: Integration): Promise<string> {
    const message = slackOf(event);
    return detailsOf(message, await readSurroundings(this.#deps, integration, message));
  }

  async #handle(about: AboutThread, payload: Payload): Promise<Outcome> {
    const { starts } = this.#deps;
    const { integration, automation, event } = about;
    const course = courseOf(event, await observeThread(this.#deps, about));
    if (course.kind === "started") return became(automation, "triggered", `Run ${course.runName}`);
    if (course.kind === "startedByReply") {
      return became(automation, "duplicate", `Run ${course.runName} of a reply to it is there`);
    }
    const isStart = course.kind === "start";
    const judged = judgeMessage(slackOf(event), { automation, integration: integration.spec }, !isStart);
    if (judged.problem !== undefined) return starts.drop(event, automation, judged.problem);
    const startable = { automation, maxUnfinishedRuns: judged.maxUnfinishedRuns };
    return (
      (isStart ? await this.#withoutPlace(about, startable) : undefined) ??
      (judged.needsMembership ? await this.#withoutMembership(about) : undefined) ??
      (isStart ? this.#start(about, startable, payload) : this.#reply(about, course))
    );
  }

  /** Why a person who is on no list may not, or is not known to; undefined for members of the user groups. */
  async #withoutMembership({ integration, automation, event }: AboutThread): Promise<Outcome | undefined> {
    const { starts, groups } = this.#deps;
    const message = slackOf(event);
    try {
      const { userGroups } = integration.spec.access;
      const isMember = await groups.hasMember(integration, userGroups, message.actor?.id ?? "");
      return isMember ? undefined : starts.drop(event, automation, deniedTo(message));
    } catch (failure) {
      if (!(failure instanceof ProviderError)) throw failure;
      return { ...became(automation, "unread", failure.message), failure };
    }
  }

  async #start(about: AboutThread, startable: Startable, payload: Payload): Promise<Outcome> {
    const { client, starts } = this.#deps;
    const { event } = about;
    const happening = { type: "Slack", key: messageKey(slackOf(event)), payload: await payload() } as const;
    const outcome = await starts.start(client, { event, happening, startable }, this.#signal);
    return this.#noted(about, outcome);
  }

  /** What a message comes to that finds no place: it waits, or the Run that an earlier process started for it is there. */
  async #withoutPlace(about: AboutThread, startable: Startable): Promise<Outcome | undefined> {
    const { client, starts } = this.#deps;
    const { event } = about;
    const found = await starts.startedBefore(client, event, { startable, runName: runNameOf(about) });
    return found ? this.#noted(about, found) : starts.waits(event, startable);
  }

  async #noted(about: AboutThread, outcome: Outcome): Promise<Outcome> {
    if (outcome.became !== "triggered") return outcome;
    const runName = runNameOf(about);
    this.#deps.unnoted.add(runName);
    await this.#note(about, runName);
    return outcome;
  }

  /** Handled once: a sender who was told to write again is taken at that word, though the session comes while the reply waits elsewhere. */
  async #reply(about: AboutThread, course: ReplyCourse): Promise<Outcome> {
    const outcome = await this.#replied(about, course);
    return this.#deps.starts.remember(about.event, about.automation, outcome);
  }

  async #replied(about: AboutThread, course: ReplyCourse): Promise<Outcome> {
    const { automation, event } = about;
    if (course.kind === "early") {
      await noteEarly(this.#deps, event, course.conversation, this.#signal);
      const { runName = "" } = course.conversation.status ?? {};
      return became(automation, "early", `the session of Run ${runName} is not there yet`);
    }
    const promptName = await steer(this.#deps, about, course, this.#signal);
    const sessionName = course.session.metadata.name ?? "";
    const steered = { sessionName, promptName };
    return { ...became(automation, "steered", `Prompt ${promptName} of Session ${sessionName}`), steered };
  }
}

function hasExpressions({ spec }: Automation): boolean {
  return spec.trigger.slack?.texts.some(({ operator }) => operator === "RegularExpression") ?? false;
}

function became(automation: Automation, outcome: Outcome["became"], message: string): Outcome {
  return { automation: nameOf(automation), became: outcome, message };
}

function runNameOf({ automation: { metadata }, event }: AboutThread): string {
  const { name = "", uid = "" } = metadata;
  return keyedRunName({ name, uid }, messageKey(slackOf(event)));
}

function timeOf(event: IntegrationEvent): string {
  return slackOf(event).ts ?? "0.0";
}
