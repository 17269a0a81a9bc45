import { Automation, Prompt, Run } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { Informer } from "../../src/kube/informer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { KubeObject } from "../../src/lib/resource.ts";

const byNamespace = { namespace: ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ""] };

/** Of a Run that is gone it is the last state. */
type RunHandler = (run: Run, isGone: boolean) => void;

/** What the tester sees of all sequences, through watches of its own. */
export class Observation {
  readonly #automations: Informer<Automation>;
  readonly #runs: Informer<Run>;
  readonly #prompts: Informer<Prompt>;
  readonly #runHandlers = new Map<string, RunHandler>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(client: KubeClient) {
    const deps = { client, clock: systemClock, random: systemRandom };
    this.#automations = new Informer(deps, Automation, { indexes: byNamespace });
    this.#runs = new Informer(deps, Run, { indexes: byNamespace });
    this.#prompts = new Informer(deps, Prompt, { indexes: byNamespace });
    this.#runs.onChange(({ type, object }) => {
      this.#runHandlers.get(object.metadata.namespace ?? "")?.(object, type === "deleted");
    });
    for (const informer of this.#all()) informer.onChange(({ object }) => this.#wake(object.metadata.namespace ?? ""));
  }

  async start(): Promise<void> {
    for (const informer of this.#all()) informer.start();
    await Promise.all(this.#all().map((informer) => informer.synced()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.stop()));
  }

  /** Calls the handler with each new state of a Run in the namespace. */
  followRuns(namespace: string, handler: RunHandler | undefined): void {
    if (handler) this.#runHandlers.set(namespace, handler);
    else this.#runHandlers.delete(namespace);
  }

  runs(namespace: string): readonly Run[] {
    return this.#runs.byIndex("namespace", namespace);
  }

  prompt(namespace: string, name: string): Prompt | undefined {
    return this.#prompts.get({ namespace, name });
  }

  /** Resolves with true at the next change in the namespace, with false when there is none for so long. */
  changed(namespace: string, limitMs: number): Promise<boolean> {
    const waiting = this.#waiting.get(namespace) ?? new Set();
    this.#waiting.set(namespace, waiting);
    return new Promise((resolve) => {
      const end = (isChange: boolean): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve(isChange);
      };
      const wake = (): void => end(true);
      const timer = setTimeout(() => end(false), limitMs);
      waiting.add(wake);
    });
  }

  #all(): readonly Informer<KubeObject>[] {
    // Handlers of theirs take any object.
    return [this.#automations, this.#runs, this.#prompts] as unknown as readonly Informer<KubeObject>[];
  }

  #wake(namespace: string): void {
    for (const wake of this.#waiting.get(namespace) ?? []) wake();
  }
}
