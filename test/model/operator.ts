import { once } from "node:events";

import { Environment, Integration, Repository, SandboxClass } from "../../src/api/v1alpha1/index.ts";
import { automationController } from "../../src/controllers/automation/controller.ts";
import { runController } from "../../src/controllers/run/controller.ts";
import { integrationInformers, kindInformers } from "../../src/controllers/kind-informers.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import type { ClientHooks } from "../../src/kube/client-options.ts";
import { NotLeadingError } from "../../src/kube/outcome.ts";
import { systemClock, type Clock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { KubeObject, Resource } from "../../src/lib/resource.ts";
import type { Sight } from "./sight.ts";

export interface OperatorPlace {
  client: KubeClient;
  clock: Clock;
  namespace: string;
  keysNamespace: string;
}

const never: readonly Resource<KubeObject>[] = [Repository, Environment, SandboxClass, Integration];

/** Spares the connections on which controllers would wait for kinds that these worlds have no objects of. */
function withoutTargets(client: KubeClient): Pick<KubeClient, "list" | "watch"> {
  return {
    list: (resource, options) => {
      return never.includes(resource)
        ? Promise.resolve({ items: [], resourceVersion: "1" })
        : client.list(resource, options);
    },
    watch: async (resource, options, sink) => {
      if (!never.includes(resource)) return client.watch(resource, options, sink);
      const { signal } = options;
      if (signal && !signal.aborted) await once(signal, "abort");
    },
  };
}

/** A controller process, in so far as it concerns Automations and Runs; it can die around any of its writes. */
export class Operator {
  /** What its watches show of its namespace. */
  readonly sights: readonly Sight[];
  readonly #stop: () => Promise<void>;
  #writes = 0;
  #isWorking = false;
  #begun = 0;
  #reconciles = 0;
  #life: { left: number; when: "before" | "after" } | undefined;
  #isDead = false;

  private constructor(place: OperatorPlace) {
    const { client, clock, namespace, keysNamespace } = place;
    const caching = { client: withoutTargets(client), clock: systemClock, random: systemRandom };
    const informers = { ...kindInformers(caching, { namespace }), ...integrationInformers(caching, { namespace }) };
    const deps = {
      client: client.withHooks(this.#hooks()),
      clock,
      random: systemRandom,
      informers,
      events: { record: () => undefined },
      operator: { settings: {}, executionTimeoutMs: 7_200_000 },
      tunnels: { peopleUrl: "https://gateway.invalid", waitSeconds: 30 },
      keysNamespace,
      metrics: {
        reconciled: () => void (this.#reconciles += 1),
        queueWaited: () => void (this.#begun += 1),
        wrote: () => undefined,
      },
    };
    const { automations, runs, sessions, prompts } = informers;
    this.sights = [automations, runs, sessions, prompts].map((informer) => ({
      resource: informer.resource,
      shown: () => informer.list(namespace),
    }));
    const controllers = [runController(deps), automationController(deps)];
    for (const informer of Object.values(informers)) informer.start();
    void Promise.all(controllers.map((controller) => controller.start())).then(() => (this.#isWorking = true));
    this.#stop = async () => {
      await Promise.all(controllers.map((controller) => controller.stop(0)));
      await Promise.all(Object.values(informers).map((informer) => informer.stop()));
    };
  }

  static start(place: OperatorPlace): Operator {
    return new Operator(place);
  }

  /** Writes that the API server was asked for. */
  get writes(): number {
    return this.#writes;
  }

  /** Reconciles that ended. */
  get reconciles(): number {
    return this.#reconciles;
  }

  /** It has taken up work, and nothing is being worked on. */
  get isIdle(): boolean {
    return this.#isWorking && this.#begun === this.#reconciles;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Has it die around its next write but `atWrite - 1`. */
  dieAt(atWrite: number, when: "before" | "after"): void {
    this.#life = { left: atWrite, when };
  }

  /** Nothing is written from here on. */
  async stop(): Promise<void> {
    this.#isDead = true;
    await this.#stop();
  }

  #hooks(): ClientHooks {
    return {
      beforeWrite: () => {
        const life = this.#life;
        if (life) life.left -= 1;
        if (life?.left === 0 && life.when === "before") this.#isDead = true;
        if (this.#isDead) throw new NotLeadingError("killed");
        this.#writes += 1;
      },
      afterWrite: () => {
        if (this.#life && this.#life.left <= 0) this.#isDead = true;
      },
    };
  }
}
