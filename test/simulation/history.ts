import { setImmediate } from "node:timers/promises";

import { Automation, globalSecretName, labels, SandboxClass } from "../../src/api/v1alpha1/index.ts";
import { keyHashDataKey } from "../../src/api/v1alpha1/names.ts";
import { hashApiKey } from "../../src/domain/keys.ts";
import { configMaps, endpointSlices, nodes, secrets, serviceAccounts } from "../../src/kube/core-resources.ts";
import type { KubeObject, Resource } from "../../src/lib/resource.ts";
import { anAutomation, aSandboxClass, aSecret } from "../support/builders.ts";
import { Cluster } from "./cluster.ts";
import { createIntegration } from "./connector/connector-objects.ts";
import { startConnector } from "./connector/connector-process.ts";
import { SlackPeople } from "./connector/slack-people.ts";
import { places, tenant } from "./places.ts";
import { calm, type FaultRates } from "./faults.ts";
import { Invariants, mostSandboxes } from "./invariants.ts";
import { type SimulatedGateway, startGateway } from "./gateway-process.ts";
import { limits, type SimulatedIngress, type SimulatedProcess, startController, startIngress } from "./processes.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { People, secretValue } from "./people.ts";
import { Sandboxes } from "./sandboxes.ts";
import { Sender } from "./sender.ts";

export interface HistoryOptions {
  seed: number;
  /** Steps in which things go wrong; afterwards they no longer do, and everything has to come to rest. */
  steps: number;
  rates?: FaultRates;
  /** A fault of the product that is put in, to see that it is found. */
  bug?: PlantedBug;
}

/** How often each thing is done in a step of trouble, as probabilities. */
const doings = {
  deliver: 0.05,
  stranger: 0.06,
  person: 0.02,
  long: 0.003,
  kill: 0.01,
  pause: 0.005,
  jump: 0.003,
  sandbox: 0.01,
  ask: 0.03,
  blobs: 0.01,
  quota: 0.01,
  archive: 0.01,
  compact: 0.005,
  time: 0.1,
};

/**
 * For how long nothing may be written, in milliseconds. In one history of four for as long as watches last and lists are
 * compared with them; in the others that time would be a tenth of all.
 */
const quietMs = { usual: 60_000, long: 300_000 };

const globalSecret = {
  name: globalSecretName,
  namespace: tenant,
  labels: { [labels.secretScope]: "global" },
};

/** Two of each process, with their replacements. */
class Replicas<Process extends SimulatedProcess> {
  readonly #start: (name: string) => Process;
  readonly #slots: (Process | undefined)[] = [];
  #started = 0;

  constructor(start: (name: string) => Process) {
    this.#start = start;
  }

  /** Starts what is missing, as a Deployment does. */
  fill(count: number): void {
    for (let slot = 0; slot < count; slot += 1) {
      const current = this.#slots[slot];
      if (current && !current.clock.isDead) continue;
      this.#started += 1;
      this.#slots[slot] = this.#start(`${slot}-${this.#started}`);
    }
  }

  get live(): Process[] {
    return this.#slots.filter((process) => process !== undefined && !process.clock.isDead) as Process[];
  }
}

/**
 * One history of the whole operator: what happens, and in which order, follows from the seed alone. Throws at the first
 * step at which something is wrong, with the seed and what happened before.
 */
export class History {
  readonly cluster: Cluster;
  readonly invariants: Invariants;
  readonly sender: Sender;
  readonly sandboxes: Sandboxes;
  readonly people: People;
  readonly controllers: Replicas<SimulatedProcess>;
  readonly gateways: Replicas<SimulatedGateway>;
  readonly ingresses: Replicas<SimulatedIngress>;
  readonly connectors: Replicas<SimulatedProcess>;
  /** Undefined where there is no connector. */
  readonly slackPeople: SlackPeople | undefined;
  readonly #options: HistoryOptions;

  constructor(options: HistoryOptions) {
    const cluster = new Cluster(options.seed, options.bug);
    this.#options = options;
    this.cluster = cluster;
    this.controllers = new Replicas((name) => startController(cluster, `controller-${name}`));
    this.gateways = new Replicas((name) => startGateway(cluster, `gateway-${name}`));
    this.ingresses = new Replicas((name) => startIngress(cluster, `ingress-${name}`));
    this.sandboxes = new Sandboxes(cluster, () => this.gateways.live, {
      acknowledged: (outcome) => this.invariants.acknowledged(outcome),
      began: (bundle, createTime) => this.invariants.began(bundle, createTime),
      restored: (sessionUid, workspace) => this.invariants.workspaces.restored(sessionUid, workspace),
    });
    this.people = new People(cluster);
    this.sender = new Sender(cluster, () => this.ingresses.live);
    const { slack } = cluster;
    this.connectors = new Replicas((name) => startConnector(cluster, `connector-${name}`));
    this.slackPeople = slack && new SlackPeople(cluster, slack, () => this.ingresses.live);
    this.invariants = new Invariants(cluster, this);
  }

  async play(): Promise<void> {
    try {
      await this.#begin();
      this.cluster.faults.rates = this.#isCalm ? calm : (this.#options.rates ?? calm);
      for (let step = 0; step < this.#options.steps; step += 1) await this.#step();
      await this.#settle();
      this.invariants.atRest();
      if (this.#isCalm) this.invariants.afterCalm();
    } catch (error) {
      const story = this.cluster.log.slice(-60).join("\n");
      throw new Error(`seed ${this.#options.seed}: ${String(error)}\n${story}`, { cause: error });
    }
  }

  /** In one history of four every request is answered and no process dies, so that more can be expected of the answers. */
  get #isCalm(): boolean {
    return this.#options.seed % 4 === 0;
  }

  /** Until every process works, and nothing goes wrong. */
  async #begin(): Promise<void> {
    const { cluster } = this;
    this.#create(
      SandboxClass,
      aSandboxClass("small", {
        default: true,
        maxSandboxes: mostSandboxes,
        sandboxTimeoutMs: 900_000,
        maxUnsavedSeconds: limits.unsavedSeconds,
        // In every other history Runs wait for their turn, however long that takes.
        ...(this.#options.seed % 2 === 0 && { maxPendingSeconds: limits.pendingSeconds }),
      }),
    );
    this.#create(serviceAccounts, { metadata: { name: "runner", namespace: tenant } });
    this.#create(secrets, aSecret({ "ca.crt": "PEM" }, { name: "gateway-tls", namespace: places.sessionsNamespace }));
    this.#create(configMaps, { metadata: { name: "rw-gateway-authorities", namespace: places.namespace } });
    this.#create(secrets, aSecret({ TOKEN: secretValue(0) }, globalSecret));
    this.#create(nodes, { metadata: { name: "node-1" } });
    this.#create(endpointSlices, {
      metadata: { name: "kubernetes", namespace: "default" },
      addressType: "IPv4",
      endpoints: [],
    });
    this.#create(
      secrets,
      aSecret({ [keyHashDataKey]: hashApiKey(this.sender.key) }, { name: "key", namespace: tenant }),
    );
    const trigger = { type: "Webhook", webhook: { keyHashSecretRef: { name: "key" }, maxUnfinishedRuns: 4 } };
    // So much is pruned that it matters what the archive has.
    const history = cluster.archive ? { history: { successfulLimit: 2, failedLimit: 1, skippedLimit: 1 } } : {};
    this.#create(
      Automation,
      anAutomation({ metadata: { name: "fix", namespace: tenant }, spec: { trigger, ...history } as never }),
    );
    const schedule = { type: "Schedule", schedule: { cron: "*/15 * * * *", timeZone: "UTC" } };
    this.#create(
      Automation,
      anAutomation({ metadata: { name: "nightly", namespace: tenant }, spec: { trigger: schedule } as never }),
    );
    if (cluster.slack) createIntegration((resource, object) => this.#create(resource, object));
    this.#fill();
    await this.#pass(60_000, () => cluster.store.find("automations", `${tenant}/fix`) !== undefined && this.#isReady());
  }

  #isReady(): boolean {
    const automation = this.cluster.store.find("automations", `${tenant}/fix`) as Automation | undefined;
    return automation?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  }

  #create<T extends KubeObject>(resource: Resource<T>, object: T): void {
    const { namespace } = object.metadata;
    const { group, version, plural } = resource;
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const path = `${root}${namespace ? `/namespaces/${namespace}` : ""}/${plural}`;
    const { status, text } = this.cluster.api.answer({ method: "POST", path, body: JSON.stringify(object) });
    if (status !== 201) throw new Error(text);
  }

  #fill(): void {
    this.controllers.fill(2);
    this.gateways.fill(2);
    this.ingresses.fill(2);
    if (this.cluster.slack) this.connectors.fill(2);
  }

  async #step(): Promise<void> {
    const { cluster } = this;
    const { random } = cluster;
    if (random.happens(doings.deliver)) this.sender.send();
    if (random.happens(doings.stranger)) this.sender.sendAsStranger();
    if (random.happens(doings.person)) this.people.act();
    if (this.slackPeople && random.happens(doings.ask)) this.slackPeople.act();
    if (!this.#isCalm && random.happens(doings.kill)) this.#kill();
    if (!this.#isCalm && random.happens(doings.pause)) this.#pause();
    if (random.happens(doings.jump)) this.#jump();
    if (random.happens(doings.sandbox)) this.#hurtSandbox();
    if (random.happens(doings.blobs)) this.#changeStore();
    if (random.happens(doings.quota)) cluster.api.isQuotaUsed = random.happens(0.5);
    if (cluster.archive && random.happens(doings.archive)) cluster.archive.isAway = random.happens(0.5);
    if (random.happens(doings.compact)) cluster.api.compact();
    this.#fill();
    const longMs = random.happens(doings.long) ? random.below(360_000) : 0;
    if (longMs > 0) await this.#pass(longMs, () => false);
    await this.#move(random.happens(doings.time) ? random.below(5_000) : 0);
    this.invariants.always();
  }

  /** Lets messages arrive, or time pass where none is under way or `ms` is more than 0. */
  async #move(ms: number): Promise<void> {
    const { cluster } = this;
    if (ms > 0 || cluster.network.busy === 0) cluster.clock.advance(ms > 0 ? ms : (cluster.clock.nextInMs() ?? 1_000));
    else for (let count = cluster.random.below(8); count >= 0; count -= 1) cluster.network.deliver();
    await setImmediate();
  }

  get #processes(): SimulatedProcess[] {
    return [...this.controllers.live, ...this.gateways.live, ...this.ingresses.live, ...this.connectors.live];
  }

  #kill(): void {
    const victim = this.cluster.random.pick(this.#processes);
    this.cluster.note(`${victim.name} is killed`);
    victim.kill();
  }

  #pause(): void {
    const { random, clock } = this.cluster;
    const victim = random.pick(this.#processes);
    const ms = random.below(60_000);
    this.cluster.note(`${victim.name} is paused for ${ms} ms`);
    victim.clock.pause();
    clock.setTimeout(() => victim.clock.goOn(), ms);
  }

  #jump(): void {
    const { random } = this.cluster;
    const victim = random.pick([...this.controllers.live, ...this.ingresses.live]);
    const ms = random.below(4_000) - 2_000;
    this.cluster.note(`the clock of ${victim.name} jumps by ${ms} ms`);
    victim.clock.jump(ms);
  }

  #hurtSandbox(): void {
    const { running } = this.sandboxes;
    if (running.length === 0) return;
    const { random } = this.cluster;
    const victim = random.pick(running);
    const how = random.pick(["crash", "freeze", "disconnect", "disconnect"] as const);
    this.cluster.note(`sandbox ${victim.name}: ${how}`);
    victim[how]();
  }

  /** The blob store goes away, fills up, or is well again. */
  #changeStore(): void {
    const { random, workspaces } = this.cluster;
    workspaces.state = random.pick(["well", "well", "away", "full"] as const);
    this.cluster.note(`the blob store is ${workspaces.state}`);
  }

  /** Nothing goes wrong any more, and all limits of time pass. */
  async #settle(): Promise<void> {
    this.cluster.note("from here on nothing goes wrong");
    this.cluster.faults.rates = calm;
    this.cluster.workspaces.state = "well";
    this.cluster.api.isQuotaUsed = false;
    if (this.cluster.archive) this.cluster.archive.isAway = false;
    for (const { clock } of this.#processes) clock.goOn();
    this.sender.finish();
    this.slackPeople?.finish();
    this.people.suspendAll();
    await this.#pass(Math.max(2_400_000, this.#options.steps * 4_800), () => this.invariants.isSettled());
    // A quiet minute: what was under way arrives, and the rest has nothing to write.
    await this.#pass(120_000, () => false);
    this.invariants.beginQuiet();
    await this.#pass(this.#options.seed % 4 === 1 ? quietMs.long : quietMs.usual, () => false);
  }

  /** Lets time pass until something is so, and at most `ms`. */
  async #pass(ms: number, isSo: () => boolean): Promise<void> {
    const { cluster } = this;
    const endMs = cluster.clock.monotonicMs() + ms;
    while (cluster.clock.monotonicMs() < endMs && !isSo()) {
      this.#fill();
      if (cluster.network.busy === 0) cluster.clock.advance(cluster.clock.nextInMs() ?? 1_000);
      else while (cluster.network.busy > 0) cluster.network.deliver();
      await setImmediate();
      this.invariants.always();
    }
  }
}
