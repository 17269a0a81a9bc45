import type { Pod } from "../../src/kube/core-resources.ts";
import { aContainerStatus } from "../support/builders.ts";
import { keyIn } from "./api-server/store.ts";
import type { Cluster } from "./cluster.ts";
import type { SimulatedGateway } from "./gateway-process.ts";
import type { Channel } from "./network.ts";
import { Runtime, type RuntimeTells } from "./runtime.ts";

/** The kubelet of the only node, and the runtimes in its pods, which speak the protocol of runtime and gateway. */
export class Sandboxes {
  readonly #cluster: Cluster;
  readonly #gateways: () => readonly SimulatedGateway[];
  readonly #running = new Map<string, Runtime>();
  /** What the kubelet is told of each pod, by UID. */
  readonly #kubelets = new Map<string, Channel>();
  readonly #tells: Omit<RuntimeTells, "exit">;

  constructor(cluster: Cluster, gateways: () => readonly SimulatedGateway[], tells: Omit<RuntimeTells, "exit">) {
    this.#cluster = cluster;
    this.#tells = tells;
    this.#gateways = gateways;
    cluster.store.onChangeOf("pods", ({ before, after }) => {
      const channel = this.#kubeletOf((after ?? before)?.metadata.uid ?? "");
      if (!before && after) cluster.network.send(channel, () => this.#start(after));
      else if (after?.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp) {
        cluster.network.send(channel, () => this.#stop(after));
      } else if (!after && before) cluster.network.send(channel, () => this.#forget(before.metadata.uid ?? ""));
    });
  }

  /** Sandboxes whose containers run. */
  get running(): readonly Runtime[] {
    return [...this.#running.values()];
  }

  #kubeletOf(uid: string): Channel {
    const channel = this.#kubelets.get(uid) ?? this.#cluster.network.open();
    this.#kubelets.set(uid, channel);
    return channel;
  }

  #start(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    const startedAt = this.#cluster.clock.now().toISOString();
    const containerStatuses = ["runtime", "agent"].map((name) => aContainerStatus(name, { running: { startedAt } }));
    const isStored = this.#report(pod, { phase: "Running", startTime: startedAt, containerStatuses });
    if (!isStored) return;
    const runtime = new Runtime(this.#cluster, this.#gateways, pod, {
      ...this.#tells,
      exit: (exitCode) => this.#ended(pod, exitCode),
    });
    this.#running.set(uid, runtime);
    const seconds = pod.spec?.activeDeadlineSeconds;
    if (seconds === undefined) return;
    this.#cluster.clock.setTimeout(() => {
      if (!this.#running.has(uid)) return;
      this.#forget(uid);
      this.#report(pod, { phase: "Failed", reason: "DeadlineExceeded" });
    }, seconds * 1_000);
  }

  #stop(pod: Pod): void {
    this.#forget(pod.metadata.uid ?? "");
    const { namespace, name = "", uid } = pod.metadata;
    const found = this.#cluster.store.find("pods", keyIn(namespace, name));
    if (found?.metadata.uid === uid) this.#cluster.store.delete("pods", keyIn(namespace, name), undefined, () => true);
  }

  #forget(uid: string): void {
    this.#running.get(uid)?.die();
    this.#running.delete(uid);
  }

  #ended(pod: Pod, exitCode: number): void {
    this.#running.delete(pod.metadata.uid ?? "");
    const finishedAt = this.#cluster.clock.now().toISOString();
    const reason = exitCode === 0 ? "Completed" : "Error";
    const state = { terminated: { exitCode, reason, finishedAt, startedAt: finishedAt } };
    const containerStatuses = ["runtime", "agent"].map((name) => aContainerStatus(name, state));
    this.#report(pod, { phase: exitCode === 0 ? "Succeeded" : "Failed", containerStatuses });
  }

  /** False where the pod is gone. */
  #report({ metadata: { namespace, name = "", uid } }: Pod, status: object): boolean {
    const key = keyIn(namespace, name);
    if (this.#cluster.store.find("pods", key)?.metadata.uid !== uid) return false;
    this.#cluster.store.update(
      "pods",
      key,
      undefined,
      (pod) => ({ ...pod, status: { ...(pod as Pod).status, ...status } }) as Pod,
    );
    return true;
  }
}
