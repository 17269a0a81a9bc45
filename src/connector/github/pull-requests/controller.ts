import {
  annotations,
  type Integration,
  type Prompt,
  PullRequest,
  type PullRequestStatus,
} from "../../../api/v1alpha1/index.ts";
import { servesRepository } from "../../../domain/integrations/serves-repository.ts";
import { openRequest } from "../../../domain/pull-requests/requests.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/outcome.ts";
import { keyOf, type ObjectKey } from "../../../lib/resource.ts";
import { type ConnectorInformers, indexNames, sessionIndexKey } from "../../informers.ts";
import { inLanes, Lanes } from "../../lanes.ts";
import { ProviderError } from "../../provider-error.ts";
import { readAgainMs } from "../../read-again.ts";
import { readWholePullRequest } from "../calls.ts";
import type { GitHubApi } from "../github-api.ts";
import {
  callingStatus,
  failedStatus,
  isToBeOpened,
  openedStatus,
  repositoryOf,
  syncedStatus,
  unsyncedStatus,
} from "./lifecycle.ts";
import { openPullRequest } from "./open.ts";

export interface PullRequestDeps extends ControllerDeps {
  client: KubeClient;
  github: Pick<GitHubApi, "call">;
  informers: Pick<ConnectorInformers, "integrations" | "pullRequests" | "prompts">;
}

/** Pull requests of one Integration that are worked on at a time. */
const mostOfOne = 4;

/**
 * Opens each PullRequest once. The begin of a call is stored before it, so that after a crash what it may have opened is looked
 * for. Of one that is open, the state is read again when a person asks for that.
 */
export function pullRequestController(deps: PullRequestDeps): Controller {
  const { informers } = deps;
  const options = { name: "pull-request", concurrency: 8 };
  const controller = makeController(deps, options, (client) =>
    inLanes(
      { reconcile: (key, signal) => reconcile({ ...deps, client }, key, signal) },
      new Lanes({ ofOne: mostOfOne }),
      (key) => informers.pullRequests.get(key)?.spec.integrationRef.uid,
    ),
  );
  controller.watch(informers.pullRequests, { keysOf: (pullRequest) => [keyOf(pullRequest)] });
  controller.watch(informers.integrations, { keysOf: () => [] });
  controller.watch(informers.prompts, { keysOf: (prompt) => askedKeys(deps, prompt) });
  return controller;
}

function askedKeys({ informers }: PullRequestDeps, { metadata, status }: Prompt): ObjectKey[] {
  if (metadata.annotations?.[annotations.pullRequestRequestedAt] === undefined) return [];
  const key = sessionIndexKey(metadata.namespace, metadata.ownerReferences?.[0]?.uid ?? "");
  const known = informers.pullRequests.byIndex(indexNames.session, key);
  return known.filter(({ spec }) => spec.head === status?.result?.branch).map(keyOf);
}

/** A PullRequest with the Integration that it was made for, and the request of a person's that was not followed yet. */
interface Wanted {
  integration: Integration;
  pullRequest: PullRequest;
  request: string | undefined;
}

async function reconcile(deps: PullRequestDeps, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const { clock, informers } = deps;
  const pullRequest = informers.pullRequests.get(key);
  const integration = pullRequest && integrationOf(informers, pullRequest);
  if (!integration) return done;
  const sessionKey = sessionIndexKey(key.namespace, pullRequest.spec.sessionRef.uid);
  const prompts = informers.prompts.byIndex(indexNames.session, sessionKey);
  const request = openRequest(pullRequest, prompts, clock.now());
  const wanted = { integration, pullRequest, request };
  if (isToBeOpened(pullRequest, request)) return openWhenDue(deps, wanted, signal);
  return request === undefined ? done : synchronize(deps, { ...wanted, request }, signal);
}

async function openWhenDue(deps: PullRequestDeps, wanted: Wanted, signal: AbortSignal): Promise<Outcome> {
  const { clock } = deps;
  const { pullRequest, request } = wanted;
  const waitMs = request === undefined ? untilNextTryMs(pullRequest.status, clock.now()) : 0;
  if (waitMs > 0) return requeueAfter(waitMs);
  const status = await open(deps, wanted, signal);
  return status.nextTryTime === undefined ? done : requeueAfter(untilNextTryMs(status, clock.now()));
}

function untilNextTryMs(status: PullRequestStatus | undefined, now: Date): number {
  return status?.nextTryTime === undefined ? 0 : Math.max(0, Date.parse(status.nextTryTime) - now.getTime());
}

async function open(deps: PullRequestDeps, wanted: Wanted, signal: AbortSignal): Promise<PullRequestStatus> {
  const { client, clock } = deps;
  const { integration, pullRequest, request } = wanted;
  const { status: before } = pullRequest;
  const isNoted = before?.callTime !== undefined && request === undefined;
  const noted = isNoted ? before : callingStatus(pullRequest, request, clock.now());
  const calling = await client.patchStatus(PullRequest, pullRequest, noted, { signal });
  const status = await openOnce(deps, integration, { calling, before });
  await client.patchStatus(PullRequest, calling, status, { signal });
  return status;
}

async function openOnce(
  { github, clock }: PullRequestDeps,
  integration: Integration,
  { calling, before }: { calling: PullRequest; before: PullRequest["status"] },
): Promise<PullRequestStatus> {
  const { openAs, ...wanted } = calling.spec;
  try {
    if (!servesRepository(integration, wanted.repositoryRef.name)) throw notServed(integration, wanted);
    const opened = await openPullRequest({ github }, integration, {
      ...wanted,
      id: calling.metadata.uid ?? "",
      isDraft: openAs === "Draft",
      callTime: before?.callTime,
    });
    return openedStatus(calling, opened, clock.now());
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return failedStatus(calling, { before, error }, clock.now());
  }
}

function notServed(
  { metadata }: Integration,
  { repositoryRef }: Pick<PullRequest["spec"], "repositoryRef">,
): ProviderError {
  const where = `github.repositories of Integration ${metadata.name ?? ""}`;
  return new ProviderError("refused", `Repository ${repositoryRef.name} is none of ${where}`);
}

async function synchronize(
  { client, clock, github }: PullRequestDeps,
  { integration, pullRequest, request }: Wanted & { request: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const { status } = pullRequest;
  try {
    const observed = await github.call(
      integration,
      repositoryOf(pullRequest),
      readWholePullRequest(status?.number ?? 0),
    );
    const synced = syncedStatus(pullRequest, { observed, request }, clock.now());
    await client.patchStatus(PullRequest, pullRequest, synced, { signal });
    return done;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const waitMs = readAgainMs({ spec: { receivedTime: request } }, error, clock.now());
    if (waitMs !== undefined) return requeueAfter(waitMs);
    const unsynced = unsyncedStatus(pullRequest, { error, request }, clock.now());
    await client.patchStatus(PullRequest, pullRequest, unsynced, { signal });
    return done;
  }
}

/** The Integration that it was made for, and no later one of the name. */
export function integrationOf(
  { integrations }: Pick<ConnectorInformers, "integrations">,
  { metadata, spec }: Pick<PullRequest, "metadata"> & { spec: Pick<PullRequest["spec"], "integrationRef"> },
): Integration | undefined {
  const { name, uid } = spec.integrationRef;
  const found = integrations.get({ namespace: metadata.namespace, name });
  return found?.metadata.uid === uid ? found : undefined;
}
