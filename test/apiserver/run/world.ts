import {
  Automation,
  Prompt,
  Run,
  Session,
  type AutomationSpec,
  type Condition,
  type Result,
} from "../../../src/api/v1alpha1/index.ts";
import { automationController } from "../../../src/controllers/automation/controller.ts";
import { runController } from "../../../src/controllers/run/controller.ts";
import { everyInformer, kindInformers } from "../../../src/controllers/kind-informers.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { ClientHooks } from "../../../src/kube/client-options.ts";
import { KubeError } from "../../../src/kube/errors.ts";
import type { EventFacts } from "../../../src/kube/event-recorder.ts";
import { NotLeadingError } from "../../../src/kube/outcome.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { FakeClock } from "../../../src/lib/fake-clock.ts";
import type { Tracing } from "../../../src/telemetry/tracing.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { clientOf, newNamespace } from "../../support/kube.ts";
import { WorldTime } from "../../support/world-time.ts";

/** What happens to the writes of one operator. */
export interface Trouble {
  /** The process is dead from this write on, counted from 1. */
  diesAt?: number;
  /** The process is dead from the first write of this kind on, such as `create Prompt`. */
  diesBefore?: string;
  /** This write is refused and not carried out, once. */
  failsAt?: number;
  /** With what; 503 by default. */
  status?: number;
}

/** Whom one operator tells of traces. */
interface Telling {
  tracing?: Tracing;
}

/** A controller process, in so far as it concerns Automations and Runs. */
export interface Operator {
  /** What it wrote, as `create Session` or `patch Run/status`, in order; failed ones included. */
  readonly writes: string[];
  readonly events: EventFacts[];
  readonly work: ControllersAtWork;
  /** How many times a Run has become due to be looked at. */
  runsDue(): number;
  stop(): Promise<void>;
}

/** One that follows what happens and waits for its turn. */
export interface Standby extends Operator {
  lead(): Promise<void>;
}

interface Clients {
  tester: KubeClient;
  operator: KubeClient;
}

/** A namespace on a real API server with time that a test moves. */
export class World {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly keysNamespace: string;
  readonly clock: FakeClock;
  readonly #time: WorldTime;
  readonly #operatorClient: KubeClient;
  readonly #close: () => Promise<void>;
  readonly #operators = new Set<Operator>();
  #made = 0;

  private constructor(clients: Clients, namespaces: [string, string], close: () => Promise<void>) {
    this.client = clients.tester;
    this.#operatorClient = clients.operator;
    [this.namespace, this.keysNamespace] = namespaces;
    // Creation times are the API server's own, so the two clocks must agree at first.
    this.clock = new FakeClock(new Date().toISOString());
    this.#time = new WorldTime(this.clock);
    this.#close = close;
  }

  /** `operatorKubeconfig` is the text of one with fewer rights than the tester's, which is a file. */
  static async make(kubeconfig: string, operatorKubeconfig?: string): Promise<World> {
    const connection = clientOf({ file: kubeconfig });
    const operators = operatorKubeconfig === undefined ? undefined : clientOf({ text: operatorKubeconfig });
    const { client } = connection;
    const namespaces = await Promise.all([newNamespace(client, "run"), newNamespace(client, "run-keys")]);
    const clients = { tester: client, operator: operators?.client ?? client };
    return new World(clients, namespaces, async () => {
      await connection.close();
      await operators?.close();
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#operators].map((operator) => operator.stop()));
    await this.#close();
  }

  async startOperator(trouble: Trouble & Telling = {}): Promise<Operator> {
    const operator = await this.startStandby(trouble);
    await operator.lead();
    return operator;
  }

  async startStandby(trouble: Trouble & Telling = {}): Promise<Standby> {
    const writes: string[] = [];
    const events: EventFacts[] = [];
    const informers = kindInformers(
      { client: this.#operatorClient, clock: systemClock, random: systemRandom },
      { namespace: this.namespace },
    );
    // Neither controller looks at SandboxClasses, nor may it.
    const followed = everyInformer(informers).filter(({ resource }) => resource.kind !== "SandboxClass");
    const work = new ControllersAtWork(this.client, followed);
    const deps = {
      client: this.#operatorClient.withHooks(troubled(trouble, writes)),
      clock: this.clock,
      random: systemRandom,
      informers,
      events: { record: (facts: EventFacts) => void events.push(facts) },
      operator: { settings: {}, executionTimeoutMs: 7_200_000 },
      keysNamespace: this.keysNamespace,
      metrics: work.metrics,
      tracing: trouble.tracing,
    };
    const runs = runController(deps);
    const controllers = [runs, automationController(deps)];
    for (const informer of followed) informer.start();
    await Promise.all(followed.map((informer) => informer.synced()));
    const release = this.#time.waitFor(work);
    const operator: Standby = {
      writes,
      events,
      work,
      lead: async () => {
        await Promise.all(controllers.map((controller) => controller.start()));
      },
      runsDue: () => work.taken("run") + runs.queueLength,
      stop: async () => {
        release();
        this.#operators.delete(operator);
        await Promise.all(controllers.map((controller) => controller.stop(0)));
        await Promise.all(followed.map((informer) => informer.stop()));
      },
    };
    this.#operators.add(operator);
    return operator;
  }

  createAutomation(name: string, spec: Partial<AutomationSpec> = {}): Promise<Automation> {
    const automation = {
      metadata: { name, namespace: this.namespace },
      spec: { instructions: "Fix it.", trigger: { type: "Webhook" }, serviceAccountName: "runner", ...spec },
    };
    // The API server fills in the rest.
    return this.client.create(Automation, automation as Automation);
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

  run(name: string): Promise<Run> {
    return this.client.get(Run, { namespace: this.namespace, name });
  }

  automation(name: string): Promise<Automation> {
    return this.client.get(Automation, { namespace: this.namespace, name });
  }

  findRun(name: string): Promise<Run | undefined> {
    return this.client.find(Run, { namespace: this.namespace, name });
  }

  findSession(name: string): Promise<Session | undefined> {
    return this.client.find(Session, { namespace: this.namespace, name });
  }

  findPrompt(name: string): Promise<Prompt | undefined> {
    return this.client.find(Prompt, { namespace: this.namespace, name });
  }

  async names(kind: typeof Run | typeof Session | typeof Prompt): Promise<string[]> {
    const { items } = await this.client.list<Run | Session | Prompt>(kind, { namespace: this.namespace });
    return items.map(({ metadata }) => metadata.name ?? "").sort();
  }

  /** Does what session controller and gateway do when the agent has answered. */
  async settlePrompt(name: string, succeeded: boolean, reason: string, result?: Result): Promise<void> {
    const prompt = await this.client.get(Prompt, { namespace: this.namespace, name });
    await this.client.patchStatus(Prompt, prompt, {
      ...prompt.status,
      observedGeneration: prompt.metadata.generation,
      result,
      conditions: [
        {
          type: "Succeeded",
          status: succeeded ? "True" : "False",
          reason,
          message: `The agent said ${reason}`,
          lastTransitionTime: this.clock.now().toISOString(),
        },
      ],
    });
  }

  /** Waits until something is so while time goes on, by default 100 ms for each look, so that backoffs end. */
  until(what: string, isSo: () => boolean | Promise<boolean>, stepMs = 100, limitMs?: number): Promise<void> {
    return this.#time.until(what, isSo, { stepMs, limitMs });
  }

  /** Waits for the first prompt of a Run's first session. */
  untilPrompt(run: string): Promise<Prompt> {
    const name = `${run}-0-1`;
    return this.#time.find(`Prompt ${name} is there`, () => this.findPrompt(name), { stepMs: 100 });
  }

  untilRun(name: string, reason: string, stepMs = 100): Promise<Run> {
    const find = async (): Promise<Run | undefined> => {
      const run = await this.run(name);
      return conditionOf(run)?.reason === reason ? run : undefined;
    };
    return this.#time.find(`Run ${name} is ${reason}`, find, { stepMs });
  }

  /** Lets everything that is under way come to rest. */
  async rest({ work }: Operator): Promise<void> {
    await this.#time.rest(work, 2_500);
  }
}

export function conditionOf(
  object: { status?: { conditions?: Condition[] | undefined } | undefined } | undefined,
  type = "Succeeded",
): Condition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}

function troubled({ diesAt = Infinity, diesBefore, failsAt, status = 503 }: Trouble, writes: string[]): ClientHooks {
  let attempts = 0;
  let isDead = false;
  return {
    beforeWrite: (verb, { kind }) => {
      attempts += 1;
      isDead ||= attempts >= diesAt || `${verb} ${kind}` === diesBefore;
      if (isDead) throw new NotLeadingError("killed");
      if (attempts !== failsAt) return;
      throw new KubeError({ message: "planted", status, reason: "Planted", delivery: "received" });
    },
    afterRequest: ({ verb, resource, subresource }) => {
      if (verb === "get" || verb === "list" || verb === "watch") return;
      writes.push(`${verb} ${resource.kind}${subresource === undefined ? "" : `/${subresource}`}`);
    },
  };
}
