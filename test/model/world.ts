import { randomBytes } from "node:crypto";
import { Automation, keyHashDataKey, keySecretName, labels, Run, type Prompt } from "../../src/api/v1alpha1/index.ts";
import { hashApiKey } from "../../src/domain/keys.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { secrets } from "../../src/kube/core-resources.ts";
import { isConflict } from "../../src/kube/errors.ts";
import { newNamespace } from "../support/kube.ts";
import { TenantWorld } from "../support/tenant-world.ts";
import type { ClusterCredentials } from "../../hack/cluster/cluster.ts";
import { SequenceClock } from "./clock.ts";
import { Ledger, type Payload } from "./ledger.ts";
import type { Observation } from "./observation.ts";
import { Operator } from "./operator.ts";
import { type Replica, startReplica } from "./replica.ts";
import { behind } from "./sight.ts";

/** What sequences share: they run beside each other on one control plane. */
export interface Commons {
  upstream: ClusterCredentials;
  client: KubeClient;
  operatorClient: KubeClient;
  observation: Observation;
  /** Under which replicas of the ingress work. */
  ingressUser: string;
  keysNamespace: string;
  /** How long the world may take to become what it must be; generous, as other work may keep the machine busy. */
  limitMs: number;
}

export const automationName = "alerts";

/** One Automation's world: a namespace, two ingress replicas, a controller and time of its own. */
export class World extends TenantWorld {
  readonly clock = new SequenceClock();
  readonly ledger = new Ledger();
  readonly commons: Commons;
  readonly replicas: [Replica, Replica];
  operator: Operator | undefined;
  readonly #explained = new Map<number, boolean>();
  #numbers = 0;

  private constructor(commons: Commons, namespace: string, replicas: [Replica, Replica]) {
    super(commons.client, namespace);
    this.commons = commons;
    this.replicas = replicas;
  }

  static async make(commons: Commons): Promise<World> {
    const namespace = await newNamespace(commons.client, "model");
    const replicas: Replica[] = [];
    // The replicas need the world's clock, and the world its replicas.
    const world = new World(commons, namespace, replicas as [Replica, Replica]);
    commons.observation.followRuns(namespace, (run, isGone) => world.ledger.follow(run, isGone));
    replicas.push(...(await Promise.all([world.#startReplica(), world.#startReplica()])));
    world.startOperator();
    return world;
  }

  get automationId(): string {
    return `${this.namespace}.${automationName}`;
  }

  /** A number that this world never gave before. */
  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  /** The body of a delivery that was never sent before. */
  nextPayload(idempotencyKey: string | undefined, matches: boolean): Payload {
    return { n: this.nextNumber(), status: matches ? "failed" : "ok", idempotencyKey };
  }

  /** Notes whether a delivery has its Run, now that its answer is known. */
  explain(n: number, hasRun: boolean): void {
    this.#explained.set(n, hasRun);
  }

  /** A Run of a delivery that should have none, or a second one. */
  unexplained(): string | undefined {
    const counts = new Map<number, number>();
    for (const { payload } of this.ledger.all()) {
      if (payload) counts.set(payload.n, (counts.get(payload.n) ?? 0) + 1);
    }
    const odd = [...counts].find(([n, count]) => this.#explained.has(n) && count !== (this.#explained.get(n) ? 1 : 0));
    return odd && `delivery ${odd[0]} has ${odd[1]} Runs`;
  }

  startOperator(): void {
    const { operatorClient: client, keysNamespace } = this.commons;
    this.operator ??= Operator.start({
      client,
      clock: this.clock.controller,
      namespace: this.namespace,
      keysNamespace,
    });
  }

  async stopOperator(): Promise<void> {
    const { operator } = this;
    this.operator = undefined;
    await operator?.stop();
  }

  async replaceReplica(index: 0 | 1): Promise<void> {
    const killed = this.replicas[index];
    this.replicas[index] = await this.#startReplica();
    await killed.close();
  }

  async close(): Promise<void> {
    await this.stopOperator();
    await Promise.all(this.replicas.map((replica) => replica.close()));
    this.commons.observation.followRuns(this.namespace, undefined);
  }

  /** Waits until `problem` is undefined, while time goes on where nothing else happens, so that backoffs end. */
  async until(problem: () => string | undefined | Promise<string | undefined>): Promise<void> {
    const { limitMs } = this.commons;
    const deadline = performance.now() + limitMs;
    for (let what = await problem(); what !== undefined; what = await problem()) {
      if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1_000} s: ${what}`);
      if (this.operator?.isDead) {
        await this.stopOperator();
        this.startOperator();
      }
      const isChange = await this.commons.observation.changed(this.namespace, 15);
      // Work takes no time.
      if (!isChange && (this.operator?.isIdle ?? true)) this.clock.goOn();
    }
  }

  /** Waits until our own watch of Runs has shown all that is stored. */
  async seesAllRuns(): Promise<void> {
    const { observation, client } = this.commons;
    const sight = { resource: Run, shown: () => observation.runs(this.namespace) };
    await this.until(() => behind(client, this.namespace, [sight]));
  }

  /** Waits until the controller has seen all that is stored and has nothing left to do with it. */
  async rest(): Promise<void> {
    await this.until(async () => {
      const { operator } = this;
      if (!operator) return undefined;
      const unseen = await behind(this.commons.client, this.namespace, operator.sights);
      return unseen ?? (operator.isIdle ? undefined : "the controller is idle");
    });
  }

  automation(): Promise<Automation | undefined> {
    return this.client.find(Automation, this.named(automationName));
  }

  prompt(name: string): Prompt | undefined {
    return this.commons.observation.prompt(this.namespace, name);
  }

  async deleteAutomation(): Promise<void> {
    await this.client.delete(Automation, this.named(automationName));
  }

  async patchAutomation(patch: object): Promise<void> {
    await this.client.patch(Automation, this.named(automationName), patch);
  }

  /** Gives the Automation a new key as the gateway does, in one write. */
  async setKey(automationUid: string): Promise<string> {
    const key = randomBytes(32).toString("base64url");
    const name = keySecretName(automationUid);
    const data = { [keyHashDataKey]: Buffer.from(hashApiKey(key)).toString("base64") };
    const { client, keysNamespace: namespace } = this.commons;
    const metadata = { name, namespace, labels: { [labels.automationUid]: automationUid } };
    if (await client.find(secrets, { name, namespace })) await client.patch(secrets, { name, namespace }, { data });
    else await client.create(secrets, { metadata, data });
    return key;
  }

  /** Reads and writes until no other write came between. */
  async retrying(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  #startReplica(): Promise<Replica> {
    const { upstream, ingressUser: user, keysNamespace } = this.commons;
    return startReplica({ upstream, user, clock: this.clock.ingress, namespace: this.namespace, keysNamespace });
  }
}
