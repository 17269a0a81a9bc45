import { readFile } from "node:fs/promises";

import { type Automation, Prompt, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import {
  ArchiveGuard,
  archivedPullRequests,
  archiveLeaseInformer,
  storedMarkOn,
} from "../../../src/controllers/archive-guard.ts";
import { automationController } from "../../../src/controllers/automation/controller.ts";
import { runController } from "../../../src/controllers/run/controller.ts";
import { integrationInformers, kindInformers } from "../../../src/controllers/kind-informers.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { EventFacts } from "../../../src/kube/event-recorder.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Permission } from "../../../src/lib/permissions.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import type { Tracing } from "../../../src/telemetry/tracing.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { ControllersWorld, type RunningOperator } from "../../support/controllers-world.ts";
import type { FaultProxy } from "../../support/fault-proxy.ts";
import { clientOf, newNamespace } from "../../support/kube.ts";
import { grantProcess, newRelease, processClient, type TestRelease } from "../../support/process-accounts.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { type Trouble, troubled } from "../../support/trouble.ts";

export { conditionOf };

/** What one operator has beside its controllers. */
interface Telling {
  tracing?: Tracing;
  /** The release whose archive it waits for. */
  archiveOf?: { name: string; namespace: string };
}

/** A controller process, in so far as it concerns Automations and Runs. */
export interface Operator extends RunningOperator {
  /** What it wrote, as `create Session` or `patch Run/status`, in order; failed ones included. */
  readonly writes: string[];
  readonly events: EventFacts[];
  /** How many times a Run has become due to be looked at. */
  runsDue(): number;
}

/** One that follows what happens and waits for its turn. */
export interface Standby extends Operator {
  lead(): Promise<void>;
}

interface Clients {
  tester: KubeClient;
  operator: KubeClient;
}

interface WorldOptions {
  /** Through which the controllers reach the API server. */
  proxy?: FaultProxy;
  /** The controllers' rights; by default all that their process has. */
  permissions?: readonly Permission[];
}

/** A namespace on a real API server with time that a test moves. */
export class World extends ControllersWorld<Operator> {
  readonly release: Required<TestRelease>;
  /** Path of an admin's. */
  readonly kubeconfig: string;
  /** The controllers'. */
  readonly operatorClient: KubeClient;
  #made = 0;

  private constructor(
    clients: Clients,
    namespace: string,
    { release, kubeconfig }: { release: Required<TestRelease>; kubeconfig: string },
    disconnect: () => Promise<void>,
  ) {
    super(clients.tester, namespace, disconnect);
    this.operatorClient = clients.operator;
    this.release = release;
    this.kubeconfig = kubeconfig;
  }

  /** The kubeconfig file is an admin's; the controllers work under the account of their process. */
  static async make(kubeconfig: string, { proxy, permissions }: WorldOptions = {}): Promise<World> {
    const connection = clientOf({ file: kubeconfig });
    const { client } = connection;
    const [namespace, release] = await Promise.all([newNamespace(client, "run"), newRelease(client)]);
    const user = await grantProcess(client, "controller", release, permissions);
    const operator = processClient("controller", proxy?.kubeconfig() ?? (await readFile(kubeconfig, "utf8")), user);
    return new World({ tester: client, operator: operator.client }, namespace, { release, kubeconfig }, async () => {
      await connection.close();
      await operator.close();
    });
  }

  get keysNamespace(): string {
    return this.release.keysNamespace;
  }

  async startOperator(trouble: Trouble & Telling = {}): Promise<Operator> {
    const operator = await this.startStandby(trouble);
    await operator.lead();
    return operator;
  }

  async startStandby(trouble: Trouble & Telling = {}): Promise<Standby> {
    const writes: string[] = [];
    const events: EventFacts[] = [];
    const caching = { client: this.operatorClient, clock: systemClock, random: systemRandom };
    const selection = { namespace: this.namespace };
    const informers = { ...kindInformers(caching, selection), ...integrationInformers(caching, selection) };
    const archiveLease = trouble.archiveOf && archiveLeaseInformer(caching, trouble.archiveOf);
    // Nothing here reads Skills, PrebuiltImages and SandboxPools, nor may it.
    const unread: unknown[] = [informers.skills, informers.prebuiltImages, informers.sandboxPools];
    const read = Object.values(informers).filter((informer) => !unread.includes(informer));
    const pullRequests = archivedPullRequests(caching, selection);
    const followed = [...read, ...(archiveLease ? [archiveLease, pullRequests] : [])];
    const work = new ControllersAtWork(this.client, followed);
    const deps = {
      client: this.operatorClient.withHooks(troubled(trouble, writes)),
      clock: this.clock,
      random: systemRandom,
      informers,
      events: { record: (facts: EventFacts) => void events.push(facts) },
      operator: { settings: {}, executionTimeoutMs: 7_200_000 },
      keysNamespace: this.keysNamespace,
      metrics: work.metrics,
      tracing: trouble.tracing,
      archive: archiveLease && new ArchiveGuard({ ...informers, pullRequests }, () => storedMarkOn(archiveLease)),
    };
    const runs = runController(deps);
    const controllers = [runs, automationController(deps)];
    await this.follow(followed);
    const lead = async (): Promise<void> => {
      await Promise.all(controllers.map((controller) => controller.start()));
    };
    const runsDue = (): number => work.taken("run") + runs.queueLength;
    return { ...this.operate({ writes, events, work, runsDue }, controllers, followed), lead };
  }

  /** A Run as the ingress stores it. */
  createDelivery(automation: Automation, payload = '{"status":"failed"}'): Promise<Run> {
    return this.createRun(automation, { type: "Webhook", time: this.clock.now().toISOString(), payload });
  }

  createRun(automation: Automation, trigger: Run["spec"]["trigger"], metadata: Run["metadata"] = {}): Promise<Run> {
    const { name = "", uid = "", generation } = automation.metadata;
    this.#made += 1;
    return this.client.create(Run, {
      metadata: {
        name: `${name}-run${this.#made}`,
        namespace: this.namespace,
        labels: { "runwright.dev/automation-uid": uid },
        ...metadata,
      },
      spec: { automationRef: { name, uid, generation }, trigger },
    });
  }

  async runs(): Promise<Run[]> {
    return (await this.client.list(Run, { namespace: this.namespace })).items;
  }

  findRun(name: string): Promise<Run | undefined> {
    return this.client.find(Run, this.named(name));
  }

  findSession(name: string): Promise<Session | undefined> {
    return this.client.find(Session, this.named(name));
  }

  findPrompt(name: string): Promise<Prompt | undefined> {
    return this.client.find(Prompt, this.named(name));
  }

  async names(kind: typeof Run | typeof Session | typeof Prompt): Promise<string[]> {
    const { items } = await this.client.list<Run | Session | Prompt>(kind, { namespace: this.namespace });
    return items.map(({ metadata }) => metadata.name ?? "").sort();
  }

  /** Waits until something is so while time goes on, by default 100 ms for each look, so that backoffs end. */
  until(what: string, isSo: () => boolean | Promise<boolean>, stepMs = 100, limitMs?: number): Promise<void> {
    return this.time.until(what, isSo, { stepMs, limitMs });
  }

  /** Waits for the first prompt of a Run's first session. */
  untilPrompt(run: string): Promise<Prompt> {
    const name = `${run}-0-1`;
    return this.time.find(`Prompt ${name} is there`, () => this.findPrompt(name), { stepMs: 100 });
  }

  untilRun(name: string, reason: string, stepMs = 100): Promise<Run> {
    const find = async (): Promise<Run | undefined> => {
      const run = await this.run(name);
      return conditionOf(run)?.reason === reason ? run : undefined;
    };
    return this.time.find(`Run ${name} is ${reason}`, find, { stepMs });
  }

  /** Lets everything that is under way come to rest. */
  async rest({ work }: Operator): Promise<void> {
    await this.time.rest(work, 2_500);
  }
}
