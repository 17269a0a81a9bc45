import {
  labels,
  SandboxClass,
  SandboxPool,
  type SandboxPoolSpec,
  type Session,
} from "../../../src/api/v1alpha1/index.ts";
import type { Pod } from "../../../src/kube/core-resources.ts";
import type { World } from "./world.ts";

export const uidOf = ({ metadata }: Pod): string => metadata.uid ?? "";
export const isWarm = ({ metadata }: Pod): boolean => metadata.labels?.[labels.ownerKind] === "SandboxPool";
export const isLeft = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

/** A class whose sandboxes may wait, and the kubelet and the gateway of pools. */
export class PoolKit {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Changes the class of the world. */
  async changeClass(spec: object): Promise<void> {
    await this.#world.client.patch(SandboxClass, { name: this.#world.namespace }, { spec });
  }

  create(replicas: number, spec: Partial<SandboxPoolSpec> = {}, name = "warm"): Promise<SandboxPool> {
    const { client, namespace } = this.#world;
    const base = { sandboxClassName: namespace, serviceAccountName: "runner", replicas };
    return client.create(SandboxPool, { metadata: { name, namespace }, spec: { ...base, ...spec } });
  }

  get(name = "warm"): Promise<SandboxPool> {
    return this.#world.client.get(SandboxPool, { namespace: this.#world.namespace, name });
  }

  async scale(replicas: number): Promise<void> {
    const key = { namespace: this.#world.namespace, name: "warm" };
    await this.#world.client.patch(SandboxPool, key, { spec: { replicas } }, { subresource: "scale" });
  }

  /** Plays kubelet and gateway for pods that wait, until so many do by the pool's status, which shows what was taken for a moment. */
  async fill(count: number, name = "warm"): Promise<Pod[]> {
    await this.#world.until(`${count} sandboxes wait`, async () => {
      await this.runAll();
      const { readyReplicas, members = [] } = (await this.get(name)).status ?? {};
      const warm = new Set((await this.#world.pods()).filter(isWarm).map(uidOf));
      return readyReplicas === count && members.every(({ podUID }) => warm.has(podUID ?? ""));
    });
    return (await this.#world.pods()).filter(isWarm);
  }

  /** Plays kubelet and gateway: all pods run, and those of pools wait. */
  async runAll(): Promise<void> {
    const all = (await this.#world.pods()).filter(isLeft);
    for (const { metadata, status } of all) {
      if (status?.phase !== "Running") await this.#world.reportRunning(metadata.name!).catch(() => undefined);
    }
    await this.#world.noteWaiting(all.filter(isWarm).map(uidOf));
  }

  /** Waits for a session's pod of this attempt; pods that wait have numbers, too. */
  async untilOwnPod(attempt: number): Promise<Pod> {
    const find = async (): Promise<Pod | undefined> =>
      (await this.#world.pods()).find(
        (pod) => !isWarm(pod) && isLeft(pod) && pod.metadata.labels?.[labels.attempt] === String(attempt),
      );
    await this.#world.until(`a session has a pod of attempt ${attempt}`, async () => (await find()) !== undefined);
    return (await find())!;
  }

  /** Sessions with a prompt each, named `s-0` and so on. */
  async createSessions(count: number): Promise<Session[]> {
    return Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const session = await this.#world.createSession(`s-${index}`, { serviceAccountName: "runner" });
        await this.#world.createPrompt(session, 1);
        return session;
      }),
    );
  }
}
