import type { Automation, Integration, IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import { keyedRunName } from "../../../domain/object-names.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { done, type Outcome as Passed, requeueAfter } from "../../../kube/outcome.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { ObjectKey } from "../../../lib/resource.ts";
import { nameOf, type Outcome } from "../../automations/lifecycle.ts";
import { settleOrWait, unseenWaitMs } from "../../automations/settle.ts";
import type { Startable, Starts } from "../../automations/starts.ts";
import { wantingAutomations } from "../../automations/wanting.ts";
import { candidatesOf } from "../../candidates.ts";
import { isUnsettled } from "../../conversations/facts.ts";
import type { ConnectorInformers } from "../../informers.ts";
import type { ConnectorMetrics } from "../../metrics/connector-metrics.ts";
import { ProviderError } from "../../provider-error.ts";
import { readPermission, writers } from "../calls.ts";
import type { GitHubApi } from "../github-api.ts";
import { integrationOf } from "../pull-requests/controller.ts";
import { githubOf, isOccurrence } from "../rules.ts";
import { judge, type Judgement, occurrenceOf } from "./judge.ts";

export interface AutomationEventsDeps {
  client: KubeClient;
  clock: Pick<Clock, "now">;
  github: Pick<GitHubApi, "call">;
  informers: Pick<ConnectorInformers, "integrations" | "events" | "automations" | "repositories">;
  connectorMetrics: Pick<ConnectorMetrics, "eventSettled">;
  starts: Starts;
}

/** Handles events of GitHub's for Automations. What one Automation waits for keeps no other from its Run. */
export class AutomationEvents {
  readonly #deps: AutomationEventsDeps;
  readonly #signal: AbortSignal;

  constructor(deps: AutomationEventsDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  async reconcile(key: ObjectKey): Promise<Passed> {
    const event = this.#deps.informers.events.get(key);
    const integration = event && isWaiting(event) ? integrationOf(this.#deps.informers, event) : undefined;
    // Events of an Integration are deleted with it.
    if (!event || !integration) {
      this.#deps.starts.forgetEvent(key);
      return done;
    }
    const { type } = occurrenceOf(event);
    const wants = ({ github }: Automation["spec"]["trigger"]): boolean => github?.events.includes(type) ?? false;
    const automations = wantingAutomations(this.#deps.informers, event, wants);
    const unseenMs = unseenWaitMs(event, this.#deps.clock.now());
    if (automations.length === 0 && unseenMs !== undefined) return requeueAfter(unseenMs);
    const outcomes = await this.#startAll(event, integration, automations);
    const waitMs = await settleOrWait(this.#deps, event, outcomes, this.#signal);
    return waitMs === undefined ? done : requeueAfter(waitMs);
  }

  async #startAll(
    event: IntegrationEvent,
    integration: Integration,
    automations: readonly Automation[],
  ): Promise<Outcome[]> {
    const { slug = "", repositories } = integration.spec.github ?? {};
    const fullName = githubOf(event).repository?.name.toLowerCase();
    const about = candidatesOf(this.#deps, integration, repositories).filter((one) => one.fullName === fullName);
    const by = { slug, repositories: about.map(({ name }) => name) };
    const outcomes: Outcome[] = [];
    const asking: Startable[] = [];
    for (const judged of automations.map((automation) => judge(event, automation, by))) {
      const early = await this.#withoutStart(event, judged);
      if (early) outcomes.push(early);
      else if (judged.problem === undefined && judged.needsPermission) asking.push(judged);
      else if (judged.problem === undefined) outcomes.push(await this.#start(event, judged));
    }
    return asking.length === 0 ? outcomes : [...outcomes, ...(await this.#ask(event, integration, asking))];
  }

  /** What became of it without a start now: it was started before, is not wanted, or waits. */
  async #withoutStart(event: IntegrationEvent, judged: Judgement): Promise<Outcome | undefined> {
    const { client, starts } = this.#deps;
    const { automation } = judged;
    const known = starts.known(event, automation);
    if (known) return known;
    if (judged.problem !== undefined) return starts.drop(event, automation, judged.problem);
    const { name = "", uid = "" } = automation.metadata;
    const runName = keyedRunName({ name, uid }, occurrenceOf(event).key);
    const found = await starts.startedBefore(client, event, { startable: judged, runName });
    return found ?? starts.waits(event, judged);
  }

  /** Starts those that GitHub has to say something for. */
  async #ask(event: IntegrationEvent, integration: Integration, asking: readonly Startable[]): Promise<Outcome[]> {
    const { starts } = this.#deps;
    try {
      const mayWrite = await this.#mayWrite(event, integration);
      if (!mayWrite) return asking.map(({ automation }) => starts.drop(event, automation, deniedTo(event)));
    } catch (failure) {
      if (!(failure instanceof ProviderError)) throw failure;
      const { message } = failure;
      return asking.map(({ automation }) => ({ automation: nameOf(automation), became: "unread", message, failure }));
    }
    const outcomes: Outcome[] = [];
    for (const one of asking) outcomes.push(await this.#start(event, one));
    return outcomes;
  }

  #start(event: IntegrationEvent, startable: Startable): Promise<Outcome> {
    const { key, details: payload } = occurrenceOf(event);
    const happening = { type: "GitHub", key, payload } as const;
    return this.#deps.starts.start(this.#deps.client, { event, happening, startable }, this.#signal);
  }

  /** @throws ProviderError */
  async #mayWrite(event: IntegrationEvent, integration: Integration): Promise<boolean> {
    const { actor = "" } = occurrenceOf(event);
    const repository = githubOf(event).repository?.name ?? "";
    const { permission } = await this.#deps.github.call(integration, repository, readPermission(actor));
    return writers.includes(permission);
  }
}

/** Whether an event is for Automations and not yet settled. */
export function isWaiting(event: IntegrationEvent): boolean {
  return isOccurrence(event) && isUnsettled(event);
}

function deniedTo(event: IntegrationEvent): string {
  return `${occurrenceOf(event).actor ?? ""} may not write to ${githubOf(event).repository?.name ?? ""}`;
}
