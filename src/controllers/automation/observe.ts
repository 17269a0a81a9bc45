import { Automation, Run } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { conflict, type KubeError } from "../../kube/errors.ts";
import { isSettled } from "../../domain/runs/run-state.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";
import type { ArchiveGuard } from "../archive-guard.ts";
import { isFamilyAtWork } from "../family-at-work.ts";
import { indexNames, type IntegrationInformers, type KindInformers, uidKeyOf } from "../kind-informers.ts";
import { type AutomationDecision, isAboutKeys } from "./effects.ts";
import type { AutomationFacts } from "./facts.ts";
import { findUncached } from "./observe/uncached-runs.ts";
import { canBeEmptied } from "./history/history.ts";
import { KeyReader, type KeyReaderDeps } from "./observe/key-reader.ts";
import { triggeringIntegration } from "./observe/integration.ts";
import { ScopeReader } from "./observe/scope-reader.ts";
import { dueRunKey, scheduleAt } from "./slots/schedule.ts";

/** Activity is gathered for this long before it is written: at most one write a second, however many Runs there are. */
const gatheringMs = 1_000;

export interface AutomationObserverDeps extends KeyReaderDeps {
  client: Pick<KubeClient, "find" | "list">;
  informers: Pick<KindInformers, "automations" | "runs" | "sessions" | "prompts" | "repositories" | "environments"> &
    IntegrationInformers;
  /** Absent where the release has no archive. */
  archive?: Pick<ArchiveGuard, "hasAll"> | undefined;
}

/** Reads everything about one automation, and remembers between passes what is not watched. */
export class AutomationObserver {
  readonly #deps: AutomationObserverDeps;
  readonly #keys: KeyReader;
  readonly #scopes: ScopeReader;
  /** Monotonic instants at which gathered activity is written. */
  readonly #gathering = new Map<string, number>();

  constructor(deps: AutomationObserverDeps) {
    this.#deps = deps;
    this.#keys = new KeyReader(deps);
    this.#scopes = new ScopeReader(deps);
  }

  /** Undefined when there is no such automation or it is being deleted. */
  async observe(key: ObjectKey, now: Date, signal: AbortSignal): Promise<AutomationFacts | undefined> {
    const { client, informers, archive } = this.#deps;
    const cached = informers.automations.get(key);
    const dueKey = cached && dueRunKey(cached, scheduleAt(cached, now));
    const slotRun = dueKey && (await client.find(Run, dueKey, { signal }));
    // A slot that is due starts a Run, which is irreversible. So the API server's version is decided on, and it is read last:
    // a pause that is written meanwhile counts.
    const automation = dueKey ? await client.find(Automation, key, { signal }) : cached;
    // Runs of a deleted automation are deleted by the Run controller, and the key's Secret by the orphan controller.
    if (!automation || automation.metadata.deletionTimestamp !== undefined) {
      this.#forget(keyText(key));
      return undefined;
    }
    const schedule = scheduleAt(automation, now);
    const liveKey = dueRunKey(automation, schedule);
    if (liveKey && liveKey.name !== dueKey?.name) throw edited(key);
    const { sessions, runs } = informers;
    const own = runs.byIndex(indexNames.automationUid, uidKeyOf(automation));
    const ended = own.filter(isSettled);
    const lacking = findUncached(client, automation, { cached: uidsOf(own), signal });
    return {
      automation,
      runs: own,
      uncachedRuns: lacking && (await lacking),
      sessions: new Map(
        own
          .filter(canBeEmptied)
          .map((run) => [run.metadata.uid ?? "", sessions.byIndex(indexNames.runUid, uidKeyOf(run))]),
      ),
      unstored: uidsOf(ended.filter((run) => archive?.hasAll(run) === false)),
      busy: uidsOf(ended.filter((run) => isFamilyAtWork(informers, run, now))),
      schedule,
      slotRun,
      ...(await this.#keys.read(automation, signal)),
      secretsRefusal: this.#scopes.known(automation),
      integration: triggeringIntegration(informers, automation),
      activityMayWaitMs: this.#activityMayWaitMs(keyText(key)),
    };
  }

  /** Takes note of a decision that is about to be performed. */
  decided(automation: Automation, { effects, gatheringMs: waitMs }: AutomationDecision): void {
    const key = keyText(keyOf(automation));
    if (waitMs === undefined) this.#gathering.delete(key);
    else if (!this.#gathering.has(key)) this.#gathering.set(key, this.#deps.clock.monotonicMs() + waitMs);
    // A write makes the read useless, and so does one that meets a newer version.
    if (effects.some(isAboutKeys)) this.#keys.forget(key);
  }

  /**
   * Reads for the next pass what the effects of this one must not wait for: the secrets of targets, which only lead to a
   * warning. Returns the milliseconds until something that is not watched must be read again.
   */
  async readAhead(automation: Automation, { keysCountMs }: AutomationDecision, signal: AbortSignal): Promise<number> {
    const keysMs = this.#keys.keep(keyText(keyOf(automation)), keysCountMs) ?? Infinity;
    return Math.min(keysMs, await this.#scopes.read(automation, signal));
  }

  #activityMayWaitMs(key: string): number {
    const nowMs = this.#deps.clock.monotonicMs();
    return Math.max(0, (this.#gathering.get(key) ?? nowMs + gatheringMs) - nowMs);
  }

  #forget(key: string): void {
    this.#gathering.delete(key);
    this.#keys.forget(key);
    this.#scopes.forget(key);
  }
}

function uidsOf(runs: readonly Run[]): Set<string> {
  return new Set(runs.map(({ metadata }) => metadata.uid ?? ""));
}

/** The cache still shows another schedule: the next pass sees the one that counts. */
function edited(key: ObjectKey): KubeError {
  const message = `Automation ${keyText(key)} has been edited since it was cached`;
  return conflict(message);
}
