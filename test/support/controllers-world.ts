import { Automation, Prompt, type Result, Session } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import type { Informer } from "../../src/kube/informer.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { aVerdict } from "./builders.ts";
import type { ControllersAtWork } from "./controllers-at-work.ts";
import { TenantWorld } from "./tenant-world.ts";
import { WorldTime } from "./world-time.ts";

/** A controller process in a test's own process. */
export interface RunningOperator {
  readonly work: ControllersAtWork;
  stop(): Promise<void>;
}

interface RunningController {
  stop(graceMs: number): Promise<void>;
}

type Cache = Pick<Informer<KubeObject>, "start" | "synced" | "stop">;

/** A tenant namespace with controllers at work in it, and time that a test moves. */
export abstract class ControllersWorld<Operator extends RunningOperator> extends TenantWorld {
  // Creation times are the API server's own, so the two clocks must agree at first.
  readonly clock = new FakeClock(new Date().toISOString());
  readonly time = new WorldTime(this.clock);
  protected readonly operators = new Set<Operator>();
  readonly #disconnect: () => Promise<void>;

  protected constructor(client: KubeClient, namespace: string, disconnect: () => Promise<void>) {
    super(client, namespace);
    this.#disconnect = disconnect;
  }

  async close(): Promise<void> {
    await Promise.all([...this.operators].map((operator) => operator.stop()));
    await this.#disconnect();
  }

  /** Starts the caches and waits until they are filled. */
  protected async follow(informers: readonly Cache[]): Promise<void> {
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.synced()));
  }

  /** Adds an operator that ends with the world; time waits for its controllers until it is stopped. */
  protected operate(
    operator: Omit<Operator, "stop">,
    controllers: readonly RunningController[],
    informers: readonly Cache[],
  ): Operator {
    const release = this.time.waitFor(operator.work);
    const stop = async (): Promise<void> => {
      release();
      this.operators.delete(stoppable);
      await Promise.all(controllers.map((controller) => controller.stop(0)));
      await Promise.all(informers.map((informer) => informer.stop()));
    };
    // An operator is what was given and the way to stop it.
    const stoppable = { ...operator, stop } as unknown as Operator;
    this.operators.add(stoppable);
    return stoppable;
  }

  automation(name: string): Promise<Automation> {
    return this.client.get(Automation, this.named(name));
  }

  session(name: string): Promise<Session> {
    return this.client.get(Session, this.named(name));
  }

  prompt(name: string): Promise<Prompt> {
    return this.client.get(Prompt, this.named(name));
  }

  /** Does what the gateway, or the session controller, does when the agent has answered. */
  async settlePrompt(name: string, succeeded: boolean, reason: string, result?: Result): Promise<void> {
    const prompt = await this.prompt(name);
    await this.client.patchStatus(Prompt, prompt, {
      ...prompt.status,
      observedGeneration: prompt.metadata.generation,
      result,
      conditions: [aVerdict(succeeded, reason, this.clock.now())],
    });
  }
}
