import {
  Automation,
  isDeliveryType,
  Prompt,
  Run,
  Session,
  type Settings,
  type Target,
} from "../../api/v1alpha1/index.ts";
import { automationUidOf } from "../../domain/runs/automation-uid.ts";
import { isSettled as isPromptSettled } from "../../domain/prompts/prompt-state.ts";
import { isActive, isSettled, isSkipped, isStarted } from "../../domain/runs/run-state.ts";
import { mergeSettings } from "../../domain/settings/merge.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type KubeObject, type ObjectKey, ownerReferenceTo, type Resource } from "../../lib/resource.ts";
import type { ArchiveGuard } from "../archive-guard.ts";
import { firstPromptName } from "../../domain/prompts/first-prompt-name.ts";
import { isFamilyAtWork } from "../family-at-work.ts";
import { indexNames, type KindInformers, uidKeyOf } from "../kind-informers.ts";
import { type AfterFacts, type Child, type FollowFacts, isOutdated, type RunFacts, type StartFacts } from "./facts.ts";
import { automationKey, isOfFormer, orphanedBecause } from "./ownership.ts";
import { pendingLimitOf } from "./pending-limit.ts";
import { targetsOf } from "./resources.ts";
import { outcomeInTime } from "./session-clock.ts";

export interface RunObserverDeps {
  client: Pick<KubeClient, "find">;
  informers: KindInformers;
  /** Absent where the release has no archive. */
  archive?: Pick<ArchiveGuard, "hasAll"> | undefined;
}

/**
 * Reads everything about one Run. Caches may be behind, so what leads to something irreversible (that an object is gone,
 * that a Run may start, that a session's time is up) is read from the API server, and everything else from the caches.
 */
export class RunObserver {
  readonly #deps: RunObserverDeps;

  constructor(deps: RunObserverDeps) {
    this.#deps = deps;
  }

  /** Undefined when there is no such Run or it is being deleted. */
  async observe(key: ObjectKey, now: Date, signal: AbortSignal): Promise<RunFacts | undefined> {
    const cached = this.#deps.informers.runs.get(key);
    if (!cached || isBeingDeleted(cached)) return undefined;
    // The cache may be behind and not show the start yet.
    const run = isStarted(cached) || isSettled(cached) ? cached : await this.#live(Run, key, signal);
    if (!run || isBeingDeleted(run)) return undefined;
    if (isSettled(run)) return { phase: "after", ...(await this.#after(run, now, signal)) };
    if (isStarted(run)) return { phase: "follow", ...(await this.follow(run, now, signal)) };
    return { phase: "start", ...(await this.#start(run, signal)) };
  }

  /** Reads what became of the sessions that the Run's status names. */
  async follow(run: Run, now: Date, signal: AbortSignal): Promise<FollowFacts> {
    const automation = await this.#ownAutomation(run, signal);
    const names = run.status?.sessions?.map(({ name }) => name) ?? [];
    const children = await Promise.all(names.map((name) => this.#child(run, name, now, signal)));
    const runs = automation ? this.#runsOf(automation) : [];
    const facts = { run, automation, runs, children };
    if (!automation || !isOutdated(facts)) return facts;
    // A Run fails when its automation changed before the first prompt, so the cache is not enough.
    const live = await this.#live(Automation, automationKey(run), signal);
    return { ...facts, automation: orphanedBecause(run, live) ? undefined : live };
  }

  async #start(run: Run, signal: AbortSignal): Promise<StartFacts> {
    const automation = await this.#live(Automation, automationKey(run), signal);
    return {
      run,
      automation,
      runs: automation ? this.#runsOf(automation) : [],
      otherActive: await this.#otherActive(run, automation, signal),
      leftSessions: this.#deps.informers.sessions.byIndex(indexNames.runUid, uidKeyOf(run)),
      pendingLimit: automation && pendingLimitOf(this.#deps.informers, automation.spec.session),
      targetSettings: automation ? targetsOf(automation).map((target) => this.#settingsOf(run, target)) : [],
    };
  }

  async #after(run: Run, now: Date, signal: AbortSignal): Promise<AfterFacts> {
    const { namespace } = run.metadata;
    const names = run.status?.sessions?.map(({ name }) => name) ?? [];
    const prompts = names.flatMap((name) => {
      return this.#deps.informers.prompts.get({ namespace, name: firstPromptName(name) }) ?? [];
    });
    const isKnown = automationUidOf(run) !== undefined;
    return {
      run,
      prompts,
      isStored: this.#deps.archive?.hasAll(run) ?? true,
      isBusy: isSkipped(run) && isFamilyAtWork(this.#deps.informers, run, now),
      isAutomationGone: isKnown && (await this.#ownAutomation(run, signal)) === undefined,
    };
  }

  /** The Run's own automation; undefined only when the API server has it no longer. */
  async #ownAutomation(run: Run, signal: AbortSignal): Promise<Automation | undefined> {
    const cached = this.#deps.informers.automations.get(automationKey(run));
    if (!orphanedBecause(run, cached)) return cached;
    const live = await this.#live(Automation, automationKey(run), signal);
    return orphanedBecause(run, live) ? undefined : live;
  }

  #runsOf(automation: Automation): Run[] {
    return this.#deps.informers.runs.byIndex(indexNames.automationUid, uidKeyOf(automation));
  }

  /** Another Run that is active by the cache, or that the automation's status names and that has not ended. */
  async #otherActive(run: Run, automation: Automation | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (!automation || isDeliveryType(run.spec.trigger.type)) return undefined;
    const { namespace, uid } = run.metadata;
    const other = this.#runsOf(automation).find((one) => one.metadata.uid !== uid && isActive(one));
    if (other) return other.metadata.name;
    const holder = automation.status?.active;
    if (!holder || holder.uid === uid) return undefined;
    const live = await this.#live(Run, { namespace, name: holder.name }, signal);
    return live?.metadata.uid === holder.uid && !isSettled(live) ? holder.name : undefined;
  }

  #settingsOf({ metadata }: Run, target: Target | undefined): Settings {
    const { namespace } = metadata;
    const { repositories, environments } = this.#deps.informers;
    const { repositoryRef, environmentRef } = target ?? {};
    const environment = environmentRef && environments.get({ namespace, name: environmentRef.name });
    const { name } = repositoryRef ?? environment?.spec.repositoryRefs[0] ?? {};
    const primary = name === undefined ? undefined : repositories.get({ namespace, name });
    return mergeSettings([primary?.spec.settings, environment?.spec.settings]);
  }

  async #child(run: Run, name: string, now: Date, signal: AbortSignal): Promise<Child> {
    const { namespace } = run.metadata;
    const live = (): Promise<Session | undefined> => this.#live(Session, { namespace, name }, signal);
    const cached = this.#deps.informers.sessions.get({ namespace, name });
    // One of a former Run of this name says nothing of the Run's own, which the cache may not show yet.
    const own = cached && isSessionOf(run, cached) ? cached : await live();
    const child = await this.#childWith(run, name, own, signal);
    const isEnded = child.prompt !== undefined && isPromptSettled(child.prompt);
    const isDue = !isEnded && outcomeInTime(run, child, now) !== undefined;
    return isDue ? this.#childWith(run, name, await live(), signal) : child;
  }

  async #childWith(run: Run, name: string, session: Session | undefined, signal: AbortSignal): Promise<Child> {
    const { namespace } = run.metadata;
    const { informers } = this.#deps;
    if (!session || !isSessionOf(run, session)) return { name, session: undefined, prompt: undefined };
    const prompt = await this.#firstPrompt(session, { namespace, name: firstPromptName(name) }, signal);
    return {
      name,
      // What the session has done since shows whether a missing prompt was never made or was deleted.
      session: prompt ? session : await this.#live(Session, { namespace, name }, signal),
      prompt,
      pendingLimit: pendingLimitOf(informers, session.spec),
    };
  }

  async #firstPrompt(session: Session, key: ObjectKey, signal: AbortSignal): Promise<Prompt | undefined> {
    const owner = ownerReferenceTo(Session, session);
    const cached = this.#deps.informers.prompts.get(key);
    const prompt = cached && !isOfFormer(cached, owner) ? cached : await this.#live(Prompt, key, signal);
    return prompt && !isOfFormer(prompt, owner) ? prompt : undefined;
  }

  #live<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, signal: AbortSignal): Promise<T | undefined> {
    return this.#deps.client.find(resource, key, { signal });
  }
}

function isSessionOf({ metadata: { uid } }: Run, { metadata }: Session): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}

/** Nothing is made or changed for a Run that is being deleted. */
export function isBeingDeleted({ metadata }: Run): boolean {
  return metadata.deletionTimestamp !== undefined;
}
