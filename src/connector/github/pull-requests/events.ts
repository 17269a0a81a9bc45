import { type Integration, IntegrationEvent, labels, PullRequest } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps, Reconciler } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/outcome.ts";
import { keyText, type KubeObject, type ObjectKey } from "../../../lib/resource.ts";
import { isUnsettled } from "../../conversations/facts.ts";
import { settledStatus, type Verdict } from "../../conversations/lifecycle.ts";
import { byCreation } from "../../conversations/turns.ts";
import { refusedVerdict } from "../../conversations/refuse.ts";
import { type ConnectorInformers, indexNames, sessionIndexKey } from "../../informers.ts";
import { inLanes, Lanes } from "../../lanes.ts";
import type { ConnectorMetrics } from "../../metrics/connector-metrics.ts";
import { ProviderError } from "../../provider-error.ts";
import { readAgainMs } from "../../read-again.ts";
import { answerFeedback } from "../autofix/answers.ts";
import { handleFeedback } from "../autofix/handle.ts";
import { skippedStatus } from "../autofix/lifecycle.ts";
import { makeSkip } from "../autofix/resources.ts";
import { readWholePullRequest } from "../calls.ts";
import type { GitHubApi } from "../github-api.ts";
import { githubOf } from "../rules.ts";
import { integrationOf } from "./controller.ts";
import { numberKey, pullRequestKeyOf } from "./keys.ts";
import { isToBeOpened, observedStatus, renamedStatus, repositoryOf } from "./lifecycle.ts";
import { eventsOfIntegration } from "../../events/of-integration.ts";

export interface PullRequestEventDeps extends ControllerDeps {
  client: KubeClient;
  github: Pick<GitHubApi, "call">;
  informers: Pick<ConnectorInformers, "integrations" | "events" | "pullRequests" | "prompts" | "repositories">;
  connectorMetrics: Pick<ConnectorMetrics, "eventSettled">;
}

/** Pull requests of one Integration that are worked on at a time. */
const mostOfOne = 4;

const untracked = refusedVerdict("UntrackedPullRequest", "No Session of the namespace owns the pull request");
const updated: Verdict = {
  counted: "steered",
  succeeded: true,
  reason: "PullRequestUpdated",
  message: "The pull request's state was read",
};

/**
 * Handles the events of each pull request in their order, one after the other, then answers the feedback whose prompts have
 * ended.
 */
export function pullRequestEventController(deps: PullRequestEventDeps): Controller {
  const { informers } = deps;
  const options = { name: "pull-request-event", concurrency: 8 };
  const controller = makeController(deps, options, (client) => {
    const reconciler: Reconciler = {
      reconcile: (key, signal) => new PullRequestEvents({ ...deps, client }, signal).reconcile(key),
    };
    return inLanes(reconciler, new Lanes({ ofOne: mostOfOne }), (key) => integrationUid(informers, key));
  });
  const ofEvent = (event: IntegrationEvent): ObjectKey[] => {
    const key = isUnsettled(event) ? pullRequestKeyOf(event) : undefined;
    return key ? [key] : [];
  };
  controller.watch(informers.events, { keysOf: ofEvent });
  controller.watch(informers.pullRequests, { keysOf: numberKeys });
  controller.watch(informers.prompts, {
    keysOf({ metadata }) {
      if (metadata.labels?.[labels.pullRequestUid] === undefined) return [];
      const key = sessionIndexKey(metadata.namespace, metadata.ownerReferences?.[0]?.uid ?? "");
      return informers.pullRequests.byIndex(indexNames.session, key).flatMap(waitingKeys);
    },
  });
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.integrations, eventsOfIntegration(informers, ofEvent));
  return controller;
}

/** The key of a pull request whose number is known; events may have come before it was. */
function numberKeys({ metadata, status }: PullRequest): ObjectKey[] {
  const { repositoryID, number } = status ?? {};
  if (repositoryID === undefined || number === undefined) return [];
  return [numberKey(metadata.namespace, { repositoryID, number })];
}

/** The key of a pull request with feedback that waits for its prompt. */
function waitingKeys(pullRequest: PullRequest): ObjectKey[] {
  const isWaiting = pullRequest.status?.feedback?.some(({ progress }) => progress === "Waiting") ?? false;
  return isWaiting ? numberKeys(pullRequest) : [];
}

/** The UID of the Integration that brought events of a pull request, or opened it. */
function integrationUid({ events, pullRequests }: PullRequestEventDeps["informers"], key: ObjectKey): string {
  const [event] = events.byIndex(indexNames.pullRequest, keyText(key)).filter(isUnsettled);
  const [pullRequest] = event ? [] : pullRequests.byIndex(indexNames.pullRequest, keyText(key));
  return (event ?? pullRequest)?.spec.integrationRef.uid ?? "";
}

/** An event and the pull request that it is about. */
interface About {
  event: IntegrationEvent;
  integration: Integration;
  pullRequest: PullRequest;
}

/** What came to one pull request of the namespace, by whatever Integration. */
export class PullRequestEvents {
  readonly #deps: PullRequestEventDeps;
  readonly #signal: AbortSignal;

  constructor(deps: PullRequestEventDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  async reconcile(key: ObjectKey): Promise<Outcome> {
    const events = this.#deps.informers.events.byIndex(indexNames.pullRequest, keyText(key)).filter(isUnsettled);
    const waits = new Map<string, number>();
    for (const event of events.sort(byCreation)) {
      const integration = integrationOf(this.#deps.informers, event);
      const { uid } = event.spec.integrationRef;
      // An event that waits holds up the later ones of its PullRequest, and those of no other Integration.
      if (!integration || waits.has(uid)) continue;
      const waitMs = await this.#handle(event, integration, this.#ownedBy(key, event.spec.integrationRef));
      if (waitMs !== undefined) waits.set(uid, waitMs);
    }
    const waitMs = Math.min(...waits.values(), ...(await this.#answer(key)));
    return Number.isFinite(waitMs) ? requeueAfter(waitMs) : done;
  }

  /** Answers what has ended, also where an event waits; gives the milliseconds until the next tries. */
  async #answer(key: ObjectKey): Promise<number[]> {
    const pullRequests = this.#deps.informers.pullRequests
      .byIndex(indexNames.pullRequest, keyText(key))
      .filter(isAlive);
    const waits: number[] = [];
    for (const pullRequest of pullRequests) {
      const integration = integrationOf(this.#deps.informers, pullRequest);
      if (!integration) continue;
      const waitMs = await answerFeedback(this.#deps, { integration, pullRequest }, this.#signal);
      if (waitMs !== undefined) waits.push(waitMs);
    }
    return waits;
  }

  /** The PullRequest of an Integration; the cache knows what this process wrote. */
  #ownedBy(key: ObjectKey, { uid }: IntegrationEvent["spec"]["integrationRef"]): PullRequest | undefined {
    return this.#deps.informers.pullRequests
      .byIndex(indexNames.pullRequest, keyText(key))
      .find((one) => isAlive(one) && one.spec.integrationRef.uid === uid);
  }

  /** Milliseconds after which the event is looked at again; undefined where it was handled. */
  async #handle(
    event: IntegrationEvent,
    integration: Integration,
    pullRequest: PullRequest | undefined,
  ): Promise<number | undefined> {
    if (!pullRequest) {
      const waitMs = this.#isBeingOpened(event) ? this.#waitMs(event, { failure: "unavailable" }) : undefined;
      if (waitMs === undefined) await this.#settle(event, untracked);
      return waitMs;
    }
    try {
      const about = { event, integration, pullRequest: await this.#renamed(pullRequest, event) };
      const isChange = githubOf(event).action === "Changed";
      const verdict = isChange ? await this.#update(about) : await handleFeedback(this.#deps, about, this.#signal);
      await this.#settle(event, verdict);
      return undefined;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const waitMs = this.#waitMs(event, error);
      if (waitMs === undefined) await this.#settle(event, refusedVerdict("ProviderUnavailable", error.message));
      return waitMs;
    }
  }

  #waitMs(event: IntegrationEvent, why: Parameters<typeof readAgainMs>[1]): number | undefined {
    return readAgainMs(event, why, this.#deps.clock.now());
  }

  /** Whether the event may be of a pull request whose number is not stored yet; once it is, that wakes the event. */
  #isBeingOpened({ metadata, spec }: IntegrationEvent): boolean {
    const repository = spec.github?.repository?.name.toLowerCase();
    return this.#deps.informers.pullRequests
      .list(metadata.namespace)
      .some(
        (one) =>
          one.spec.integrationRef.uid === spec.integrationRef.uid &&
          one.spec.repository === repository &&
          isToBeOpened(one),
      );
  }

  /** GitHub's events name the repository as it is called now. */
  async #renamed(pullRequest: PullRequest, event: IntegrationEvent): Promise<PullRequest> {
    const status = renamedStatus(pullRequest, githubOf(event).repository?.name);
    if (!status) return pullRequest;
    return this.#deps.client.patchStatus(PullRequest, pullRequest, status, { signal: this.#signal });
  }

  async #update({ event, integration, pullRequest }: About): Promise<Verdict> {
    const call = readWholePullRequest(githubOf(event).number ?? 0);
    const observed = await this.#deps.github.call(integration, repositoryOf(pullRequest), call);
    const status = observedStatus(pullRequest, observed);
    await this.#deps.client.patchStatus(PullRequest, pullRequest, status, { signal: this.#signal });
    return updated;
  }

  async #settle(event: IntegrationEvent, verdict: Verdict): Promise<void> {
    const { client, clock, connectorMetrics } = this.#deps;
    if (!verdict.succeeded && githubOf(event).action !== "Changed") await this.#noteSkip(event, verdict);
    const status = settledStatus(event, verdict, clock.now());
    await client.patchStatus(IntegrationEvent, event, status, { signal: this.#signal });
    connectorMetrics.eventSettled(verdict.reason);
  }

  /** Notes on the PullRequest which check stopped feedback; of one that is not tracked, the event alone says it. */
  async #noteSkip(event: IntegrationEvent, verdict: Verdict): Promise<void> {
    const { client, clock } = this.#deps;
    const key = pullRequestKeyOf(event);
    const pullRequest = key && this.#ownedBy(key, event.spec.integrationRef);
    if (!pullRequest) return;
    const skip = makeSkip(pullRequest, event, { ...verdict, now: clock.now() });
    await client.patchStatus(PullRequest, pullRequest, skippedStatus(pullRequest, skip), { signal: this.#signal });
  }
}

function isAlive({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}
