import { type Integration, Prompt, PullRequest, Session } from "../../../api/v1alpha1/index.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import { requestOf } from "../../../domain/pull-requests/requests.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { nameHolder } from "../../../kube/name-holder.ts";
import { done, type Outcome } from "../../../kube/outcome.ts";
import { keyOf, type ObjectKey } from "../../../lib/resource.ts";
import { type ConnectorInformers, indexNames, sessionIndexKey } from "../../informers.ts";
import { makePullRequest } from "./resources.ts";
import { type Cause, findBranch, wants } from "./wanting.ts";

export interface BranchDeps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<ConnectorInformers, "integrations" | "repositories" | "environments" | "prompts" | "pullRequests">;
}

/** A branch that was pushed longer ago gets none unasked, so that the setting is not about all that was ever pushed. */
const newMs = 86_400_000;

/** Makes a PullRequest for each branch that an agent pushed, where an Integration of the namespace wants that, or agent or person ask. */
export function branchController(deps: BranchDeps): Controller {
  const { informers } = deps;
  const options = { name: "pushed-branch", concurrency: 4 };
  const controller = makeController(deps, options, (client) => ({
    reconcile: (key, signal) => reconcile({ ...deps, client }, key, signal),
  }));
  controller.watch(informers.prompts, { keysOf: (prompt) => (hasPushed(prompt) ? [keyOf(prompt)] : []) });
  controller.watch(informers.integrations, { keysOf: () => [] });
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.environments, { keysOf: () => [] });
  controller.watch(informers.pullRequests, { keysOf: () => [] });
  return controller;
}

function hasPushed(prompt: Prompt): boolean {
  return prompt.status?.result?.branch !== undefined && isSettled(prompt);
}

async function reconcile(deps: BranchDeps, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const pushed = pushedBranch(deps, key);
  const session = pushed && (await readSession(deps, pushed));
  const found = session && findBranch(deps, pushed.integrations, { session, head: pushed.head });
  // The cache has no text of the agent's.
  const prompt = found && (await deps.client.find(Prompt, key));
  if (!prompt) return done;
  await createUnlessThere(deps, makePullRequest(found.integration, { session, prompt }, found.branch), signal);
  return done;
}

/** A branch that is new, and of which no PullRequest is known; undefined where nothing is to be done. */
interface Pushed {
  prompt: Prompt;
  head: string;
  sessionUid: string;
  /** Those of the namespace that want pull requests, at least one. */
  integrations: readonly Integration[];
}

function pushedBranch({ clock, informers }: BranchDeps, key: ObjectKey): Pushed | undefined {
  const prompt = informers.prompts.get(key);
  const head = prompt?.status?.result?.branch;
  if (!prompt || head === undefined) return undefined;
  const cause = causeOf(prompt, clock.now());
  const integrations = informers.integrations.list(key.namespace).filter((one) => cause && wants(one, cause));
  const sessionUid = ownerUid(prompt);
  const known = informers.pullRequests.byIndex(indexNames.session, sessionIndexKey(key.namespace, sessionUid));
  const isKnown = known.some(({ spec }) => spec.head === head);
  return integrations.length === 0 || isKnown ? undefined : { prompt, head, sessionUid, integrations };
}

function ownerUid({ metadata }: Prompt): string {
  return metadata.ownerReferences?.[0]?.uid ?? "";
}

async function readSession({ client }: BranchDeps, { prompt, sessionUid }: Pushed): Promise<Session | undefined> {
  const { metadata, spec } = prompt;
  const session = await client.find(Session, { namespace: metadata.namespace, name: spec.sessionRef.name });
  return session?.metadata.uid === sessionUid && session.metadata.deletionTimestamp === undefined ? session : undefined;
}

async function createUnlessThere({ client }: BranchDeps, made: PullRequest, signal: AbortSignal): Promise<void> {
  try {
    await client.create(PullRequest, made, { signal });
  } catch (error) {
    // Made before, or for another session that pushed the same branch.
    if (!(await nameHolder<PullRequest>(client, PullRequest, { object: made, error }, { signal }))) throw error;
  }
}

function causeOf(prompt: Prompt, now: Date): Cause | undefined {
  if (requestOf(prompt, now) !== undefined) return "asked";
  const { completionTime = "", pullRequest } = prompt.status ?? {};
  if (!(now.getTime() - Date.parse(completionTime) < newMs)) return undefined;
  return pullRequest ? "asked" : "pushed";
}
