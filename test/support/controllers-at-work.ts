import { setImmediate } from "node:timers/promises";

import type { KubeClient } from "../../src/kube/client.ts";
import type { ControllerMetrics } from "../../src/kube/controller.ts";
import type { Informer } from "../../src/kube/informer.ts";
import { keyOf, type KubeObject } from "../../src/lib/resource.ts";
import { countsAllWrites, writeStepsOfClients } from "./kube.ts";

type Followed = Pick<Informer<KubeObject>, "resource" | "selection" | "size" | "get">;

/** What the controllers of one process are at, so that a test waits for them and not for time to pass. */
export class ControllersAtWork {
  /** Ended reconciles by controller and outcome, as `run done`; a test may empty it. */
  readonly reconciles: string[] = [];
  readonly metrics: ControllerMetrics = {
    queueWaited: (controller) => this.#count(this.#taken, controller),
    reconciled: (controller, outcome) => {
      this.#count(this.#ended, controller);
      this.reconciles.push(`${controller} ${outcome}`);
    },
    wrote: () => undefined,
  };
  readonly #client: KubeClient;
  readonly #informers: Set<Followed>;
  readonly #taken = new Map<string, number>();
  readonly #ended = new Map<string, number>();
  /** The steps after which the caches were last seen to hold all that is stored. */
  #atRestAfter: string | undefined;

  /** `client` may read all that the informers follow. */
  constructor(client: KubeClient, informers: Iterable<Followed>) {
    this.#client = client;
    this.#informers = new Set(informers);
  }

  /** How many keys were taken up so far, by one controller or by all. */
  taken(controller?: string): number {
    return sumOf(this.#taken, controller);
  }

  /** Whether no reconcile is under way. A key that waits for a worker waits for one that is. */
  isIdle(controller?: string): boolean {
    return this.taken(controller) === sumOf(this.#ended, controller);
  }

  /** Whether nothing is left to do before time goes on: no reconcile is under way, and no event on its way to one. */
  async isAtRest(): Promise<boolean> {
    // Keys whose timers have just run are taken up in this turn of the event loop.
    await setImmediate();
    if (!this.isIdle()) return false;
    const before = await this.#steps();
    if (before === this.#atRestAfter) return true;
    const current = await Promise.all([...this.#informers].map((informer) => this.#isCurrent(informer)));
    const isAtRest = current.every(Boolean) && this.isIdle() && (await this.#steps()) === before;
    if (isAtRest) this.#atRestAfter = before;
    return isAtRest;
  }

  /** From now on it does not matter that this cache lags behind. */
  ignore(informer: Followed): void {
    this.#informers.delete(informer);
  }

  /** Changes with each key that is taken up and each write: those of this process are counted, those of others are seen by the version of all that is stored. */
  async #steps(): Promise<string> {
    const version = countsAllWrites() ? "" : await this.#storedVersion();
    return `${this.taken()} ${writeStepsOfClients()} ${version}`;
  }

  /** A list without items has it, too. */
  async #storedVersion(): Promise<string> {
    const [any] = this.#informers;
    if (any === undefined) return "";
    const nothing = { namespace: any.selection.namespace, fieldSelector: "metadata.name=none", metadataOnly: true };
    return (await this.#client.list(any.resource, nothing)).resourceVersion;
  }

  async #isCurrent(informer: Followed): Promise<boolean> {
    const { items } = await this.#client.list(informer.resource, { ...informer.selection, metadataOnly: true });
    const isHeld = (item: KubeObject): boolean =>
      informer.get(keyOf(item))?.metadata.resourceVersion === item.metadata.resourceVersion;
    return informer.size === items.length && items.every(isHeld);
  }

  #count(counts: Map<string, number>, controller: string): void {
    counts.set(controller, (counts.get(controller) ?? 0) + 1);
  }
}

function sumOf(counts: ReadonlyMap<string, number>, controller: string | undefined): number {
  if (controller !== undefined) return counts.get(controller) ?? 0;
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
