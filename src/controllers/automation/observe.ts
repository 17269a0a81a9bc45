import { Automation, Run } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";
import { indexNames, type KindInformers } from "../kind-informers.ts";
import { type AutomationDecision, isAboutKeys } from "./effects.ts";
import type { AutomationFacts } from "./facts.ts";
import { canBeEmptied } from "./history/history.ts";
import { KeyReader } from "./observe/key-reader.ts";
import { ScopeReader } from "./observe/scope-reader.ts";
import { dueRunKey, type Schedule, scheduleAt } from "./slots/schedule.ts";

/** Activity is gathered for this long before it is written: at most one write a second, however many Runs there are. */
const gatheringMs = 1_000;

export interface AutomationObserverDeps {
  client: Pick<KubeClient, "find">;
  clock: Clock;
  informers: Pick<KindInformers, "automations" | "runs" | "sessions" | "repositories" | "environments">;
  keysNamespace: string;
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
    const found = await this.#automation(key, now, signal);
    // Runs of a deleted automation are deleted by the Run controller, and the key's Secret by the orphan controller.
    if (!found || found.automation.metadata.deletionTimestamp !== undefined) {
      this.#forget(keyText(key));
      return undefined;
    }
    const { automation, schedule } = found;
    const { sessions, runs } = this.#deps.informers;
    const own = runs.byIndex(indexNames.automationUid, automation.metadata.uid ?? "");
    const slotRun = dueRunKey(automation, schedule);
    return {
      automation,
      runs: own,
      sessions: new Map(
        own.filter(canBeEmptied).map(({ metadata: { uid = "" } }) => [uid, sessions.byIndex(indexNames.runUid, uid)]),
      ),
      schedule,
      slotRun: slotRun && (await this.#deps.client.find(Run, slotRun, { signal })),
      ...(await this.#keys.read(automation, signal)),
      secretsRefusal: this.#scopes.known(automation),
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

  /** A slot that is due starts a Run, which is irreversible, so it is decided on the API server's version. */
  async #automation(
    key: ObjectKey,
    now: Date,
    signal: AbortSignal,
  ): Promise<{ automation: Automation; schedule: Schedule } | undefined> {
    const cached = this.#deps.informers.automations.get(key);
    if (!cached) return undefined;
    const schedule = scheduleAt(cached, now);
    if (!dueRunKey(cached, schedule)) return { automation: cached, schedule };
    const live = await this.#deps.client.find(Automation, key, { signal });
    return live && { automation: live, schedule: scheduleAt(live, now) };
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
