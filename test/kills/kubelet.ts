import { type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

import { sandboxContainers } from "../../src/api/runtime/pod-contract.ts";
import { labels } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type Pod, pods } from "../../src/kube/core-resources.ts";
import { podToken } from "../support/pod-token.ts";
import { Informer } from "../../src/kube/informer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { keyOf } from "../../src/lib/resource.ts";
import { type SandboxProcesses, startSandbox } from "../support/runtime-processes.ts";
import type { Speaker } from "./relay.ts";

export interface KubeletOptions {
  client: KubeClient;
  namespace: string;
  release: { name: string; namespace: string };
  /** Where containers have their volumes. */
  directory: string;
  /** The bundled `runwright-sandbox`; by default the source. */
  program?: string | undefined;
  /** Where runtimes connect, and whom they trust there, PEM. */
  gateway: { url: string; ca: string };
  /** Told of what keeps failing, although it is tried again. */
  failed: (error: unknown) => void;
}

/** Milliseconds until a pod's start, or a report of it, is tried again. */
const retryMs = 1_000;
/** After so many tries a failure is told of; the kubelet goes on trying. */
const mostTries = 30;

/** A sandbox whose runtime is alive. */
export interface RunningSandbox extends Speaker {
  /** SIGKILL, to the runtime's container alone. */
  killRuntime(): void;
}

/**
 * Runs the containers of each pod of a namespace as processes of this machine and tells the API server how they are.
 * A container that has ended stays so, as pods of `restartPolicy: Never` have it.
 */
export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #informer: Informer<Pod>;
  readonly #running = new Map<string, { speaker: Speaker; processes: SandboxProcesses }>();
  readonly #gone = new Set<string>();
  #isStopped = false;
  /** Of each pod by its name, also once it is gone. */
  readonly processes = new Map<string, SandboxProcesses>();

  constructor(options: KubeletOptions) {
    this.#options = options;
    const { client, namespace } = options;
    this.#informer = new Informer({ client, clock: systemClock, random: systemRandom }, pods, { namespace });
    this.#informer.onChange(({ type, object }) => {
      if (type === "added") void this.#run(object);
      if (type === "deleted") this.#end(object.metadata.uid ?? "");
    });
    this.#informer.start();
  }

  /** Those whose runtime has not ended. */
  get running(): RunningSandbox[] {
    return [...this.#running.values()]
      .filter(({ processes: { runtime } }) => isAlive(runtime))
      .map(({ speaker, processes: { runtime } }) => ({ ...speaker, killRuntime: () => void runtime.kill("SIGKILL") }));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#informer.stop();
    const ends = [...this.#running.values()].map(({ processes }) => {
      processes.kill();
      return processes.ended();
    });
    await Promise.all(ends);
  }

  async #run(pod: Pod): Promise<void> {
    const { directory, program, gateway } = this.#options;
    const { name = "", uid = "", labels: own = {} } = pod.metadata;
    const speaker = {
      sessionUid: own[labels.sessionUid] ?? own[labels.ownerUid] ?? "",
      attempt: Number(own[labels.attempt]),
    };
    const sandbox = { ...speaker, session: name, token: () => podToken(this.#options, pod) };
    const processes = await this.#untilDone(pod, () =>
      startSandbox({ directory, ca: gateway.ca }, sandbox, gateway.url, {
        ...(program !== undefined && { program }),
      }),
    );
    if (!processes) return;
    this.#running.set(uid, { speaker, processes });
    this.processes.set(name, processes);
    if (this.#gone.has(uid)) this.#end(uid);
    let reported = this.#report(pod, processes);
    for (const container of [processes.runtime, processes.agent]) {
      // One after the other: what has ended cannot run again.
      container.once("exit", () => {
        reported = reported.then(() => this.#report(pod, processes));
      });
    }
  }

  /** Tries again as a kubelet does, for as long as there is the pod; undefined: there is none any more. */
  async #untilDone<T>({ metadata: { uid = "" } }: Pod, work: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 1; !this.#gone.has(uid) && !this.#isStopped; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (tries === mostTries) this.#options.failed(error);
        await delay(retryMs);
      }
    }
    return undefined;
  }

  /** As after a grace period of no time: what is deleted needs no good end. */
  #end(uid: string): void {
    this.#gone.add(uid);
    const { processes } = this.#running.get(uid) ?? {};
    if (!processes) return;
    processes.kill();
    this.#running.delete(uid);
  }

  async #report(pod: Pod, { runtime, agent }: SandboxProcesses): Promise<void> {
    const containerStatuses = [statusOf(sandboxContainers.runtime, runtime), statusOf(sandboxContainers.agent, agent)];
    const phase = isAlive(runtime) || isAlive(agent) ? "Running" : "Failed";
    const { client } = this.#options;
    const status = { phase, containerStatuses };
    await this.#untilDone(pod, () => client.patch(pods, keyOf(pod), { status }, { subresource: "status" }));
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function statusOf(name: string, child: ChildProcess): object {
  const common = { name, image: "i", imageID: "", restartCount: 0 };
  if (isAlive(child)) return { ...common, ready: true, state: { running: { startedAt: new Date().toISOString() } } };
  // 128 and the number of SIGKILL, as a container runtime says it.
  const exitCode = child.exitCode ?? 137;
  return {
    ...common,
    ready: false,
    state: { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error" } },
  };
}
