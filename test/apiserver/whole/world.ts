import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";

import { freePorts } from "../../../hack/lib/ports.ts";
import { Automation, group, labels, Run, SandboxClass } from "../../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { leases, secrets, serviceAccounts } from "../../../src/kube/core-resources.ts";
import { roleBindings, roles } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import { AnsweringSandboxes } from "../../support/answering-sandboxes.ts";
import { type ApiClient, connectApi } from "../../support/api-client.ts";
import { aRun, aSandboxClass } from "../../support/builders.ts";
import type { ControlPlane, StoredKey } from "../../../hack/cluster/cluster.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import { type FaultProxy, type SeenRequest, startFaultProxy } from "../../support/fault-proxy.ts";
import { installRelease, type ProcessUsers } from "../../support/installed-release.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";
import { programEnvironment, testPrograms } from "../../support/programs.ts";
import { TenantWorld } from "../../support/tenant-world.ts";

/** Whether a request writes an Event. */
export function isEvent({ path, isWrite }: SeenRequest): boolean {
  return isWrite && /\/events(\/|\?|$)/.test(path);
}

/**
 * Whether a request is a write that a Run costs, refused ones included: all but Events, reviews, and renewals of the
 * processes' own Leases. A session's Lease is never only renewed.
 */
export function isCounted(request: SeenRequest): boolean {
  const { path, isWrite } = request;
  if (!isWrite || isEvent(request) || /\/(tokenreviews|subjectaccessreviews)(\?|$)/.test(path)) return false;
  return !path.includes("/leases") || path.includes("sessions");
}

/** `POST sessions`, `PATCH runs/status`: what a write was about, without names. */
export function aboutOf({ method, path }: SeenRequest): string {
  const [, plural = "", , subresource = ""] = /\/namespaces\/[^/]+\/([^/?]+)(\/[^/?]+)?(\/[^?]+)?/.exec(path) ?? [];
  return `${method} ${plural}${subresource}`;
}

export interface WorldOptions {
  /** More flags of kube-apiserver. */
  apiserverFlags?: readonly string[];
  /** Whether the release serves the world's namespace alone; by default it serves all. */
  watchesTenantAlone?: boolean;
}

/** The operator's processes on a control plane of their own; the test is the kubelet, and a runtime in each pod. */
export class World extends TenantWorld {
  /** What each process sent to the API server. */
  readonly proxies: { controller: FaultProxy; gateway: FaultProxy };
  /** What processes are started with beside what all need. */
  readonly environment: Record<string, string> = {};
  readonly #plane: ControlPlane;
  readonly #release: { namespace: string; keysNamespace: string; sessionsNamespace: string };
  readonly #closers: (() => Promise<unknown> | undefined)[] = [];
  readonly #ports: { sandbox: number; people: number; controller: number; gateway: number };
  #controller: ChildProcess | undefined;
  #output = "";
  /** Users of the processes: the accounts that the chart gives them. */
  readonly users: ProcessUsers;
  readonly #sandboxes: AnsweringSandboxes;

  private constructor(parts: {
    plane: ControlPlane;
    client: KubeClient;
    namespaces: [string, string, string, string];
    proxies: World["proxies"];
    ports: [number, number, number, number];
    users: ProcessUsers;
  }) {
    const [tenant, namespace, keysNamespace, sessionsNamespace] = parts.namespaces;
    super(parts.client, tenant);
    this.#plane = parts.plane;
    this.#release = { namespace, keysNamespace, sessionsNamespace };
    this.proxies = parts.proxies;
    this.users = parts.users;
    const [sandbox, people, controller, gateway] = parts.ports;
    this.#ports = { sandbox, people, controller, gateway };
    const release = { ...this.#release, name: "runwright" };
    this.#sandboxes = new AnsweringSandboxes({ client: this.client, namespace: tenant, release, sandboxPort: sandbox });
  }

  /** With a class, a webhook Automation `fix`, and a release as the chart installs it, whose processes a test starts. */
  static async make({ apiserverFlags = [], watchesTenantAlone = false }: WorldOptions = {}): Promise<World> {
    const plane = await startEquippedControlPlane({ apiserverFlags });
    await plane.startControllerManager();
    const connection = clientOf({ file: plane.kubeconfig });
    const { client } = connection;
    const prefixes = ["tenant", "system", "keys", "sessions"];
    const [tenant = "", system = "", keys = "", sessions = ""] = await Promise.all(
      prefixes.map((prefix) => newNamespace(client, prefix)),
    );
    const release = { namespace: system, keysNamespace: keys, sessionsNamespace: sessions };
    const api = connectApi(plane);
    const users = await installRelease(api, release, watchesTenantAlone ? [tenant] : []);
    await api.close();
    const [controller, gateway] = await Promise.all([startFaultProxy(plane), startFaultProxy(plane)]);
    const [one = 0, two = 0, three = 0, four = 0] = await freePorts(4);
    const world = new World({
      plane,
      client,
      namespaces: [tenant, system, keys, sessions],
      proxies: { controller, gateway },
      ports: [one, two, three, four],
      users,
    });
    if (watchesTenantAlone) world.environment.RUNWRIGHT_WATCH_NAMESPACES = tenant;
    world.#closers.push(
      () => connection.close(),
      () => controller.close(),
      () => gateway.close(),
      () => plane.stop(),
    );
    await world.#prepareTenant();
    world.#sandboxes.start();
    world.#closers.unshift(() => world.#sandboxes.stop());
    return world;
  }

  /** What the processes have logged. */
  get output(): string {
    return this.#output;
  }

  /** What the gateway has sent to the runtimes. */
  get received(): string {
    return this.#sandboxes.received;
  }

  get sessionsNamespace(): string {
    return this.#release.sessionsNamespace;
  }

  /** Where runtimes reach the gateway. */
  get sandboxPort(): number {
    return this.#ports.sandbox;
  }

  /** Where people reach the gateway. */
  get peopleUrl(): string {
    return `https://localhost:${this.#ports.people}`;
  }

  /** The namespaces of the release. */
  get release(): Readonly<{ namespace: string; keysNamespace: string; sessionsNamespace: string }> {
    return this.#release;
  }

  /** A client that needs no types, with admin's rights or those of another user. */
  connect(user?: string): ApiClient {
    return connectApi(this.#plane, user);
  }

  /** Starts an ingress process and waits until it is ready; gives its URL. */
  async startIngress(): Promise<string> {
    const [port = 0, observabilityPort = 0] = await freePorts(2);
    this.environment.RUNWRIGHT_INGRESS_PORT = String(port);
    const child = this.#spawn("ingress", this.proxies.gateway, observabilityPort);
    this.#closers.unshift(() => kill(child));
    await until("the ingress is ready", () => isReadyAt(observabilityPort));
    return `http://127.0.0.1:${port}`;
  }

  /** All that etcd holds. */
  readStorage(): Promise<StoredKey[]> {
    return this.#plane.readStorage();
  }

  /** Starts a gateway process; it is ready once a controller has made its certificate. */
  startGateway(): void {
    const child = this.#spawn("gateway", this.proxies.gateway, this.#ports.gateway);
    this.#closers.unshift(() => kill(child));
  }

  /** Starts the controller process and waits until its caches are filled. */
  async startController(): Promise<ChildProcess> {
    const child = this.#spawn("controller", this.proxies.controller, this.#ports.controller);
    this.#controller = child;
    await until("the controller is ready", () => this.isReady("controller")).catch((error: unknown) => {
      throw new Error(this.#output.slice(-2_000), { cause: error });
    });
    return child;
  }

  /** Ends the controller as a lost node would, and its lease with it, since no test has to wait for a process that is surely dead. */
  async killController(): Promise<void> {
    await kill(this.#controller);
    await this.client.delete(leases, { namespace: this.#release.namespace, name: "runwright-controller" });
  }

  isReady(process: "controller" | "gateway"): Promise<boolean> {
    return isReadyAt(this.#ports[process]);
  }

  /** How many reconciles each controller of the process has ended, by controller and outcome. */
  async reconcilesByOutcome(): Promise<Map<string, number>> {
    const text = await fetch(`http://127.0.0.1:${this.#ports.controller}/metrics`).then((answer) => answer.text());
    const counts = text.matchAll(/^runwright_controller_reconcile_duration_seconds_count\{([^}]*)\} (\d+)$/gm);
    return new Map([...counts].map(([, labels = "", count]) => [labels, Number(count)]));
  }

  /** How many reconciles the controller process has ended, all controllers together. */
  async reconciles(): Promise<number> {
    return [...(await this.reconcilesByOutcome()).values()].reduce((sum, count) => sum + count, 0);
  }

  /** What the ingress stores for an accepted delivery. */
  async deliver(name: string): Promise<Run> {
    const automation = await this.client.get(Automation, { namespace: this.namespace, name: "fix" });
    const { uid = "", generation } = automation.metadata;
    const trigger = { type: "Webhook", time: new Date().toISOString(), deliveryID: name, payload: '{"a":1}' } as const;
    const metadata = { ...this.named(name), labels: { [labels.automationUid]: uid } };
    return this.client.create(
      Run,
      aRun({ metadata, spec: { automationRef: { name: "fix", uid, generation }, trigger } }),
    );
  }

  /** What a person creates to start the automation by hand. */
  startByHand(name: string): Promise<Run> {
    return this.client.create(Run, aRun({ metadata: this.named(name) }));
  }

  /** Has agents work from now on until the function that this returns is called. */
  holdAnswers(): () => void {
    return this.#sandboxes.holdAnswers();
  }

  /** Names of the bundle Secrets that are left. */
  async bundles(): Promise<(string | undefined)[]> {
    const { items } = await this.client.list(secrets, {
      namespace: this.#release.sessionsNamespace,
      labelSelector: labels.sessionUid,
    });
    return items.map(({ metadata }) => metadata.name);
  }

  /** Resolves when the Run has its verdict and nothing of its sandbox is left. */
  async cleanedUp(name: string): Promise<Run> {
    const isOver = async (): Promise<boolean> => {
      const run = await this.run(name);
      const succeeded = run.status?.conditions?.find(({ type }) => type === "Succeeded");
      if (!succeeded || succeeded.status === "Unknown") return false;
      return (await this.pods()).length === 0 && (await this.bundles()).length === 0;
    };
    await until(`Run ${name} has ended and is cleaned up`, isOver).catch(async (error: unknown) => {
      const run = await this.run(name);
      throw new Error(`${String(error)}\n${JSON.stringify(run.status)}\n${this.#output.slice(-3_000)}`);
    });
    return this.run(name);
  }

  /** Makes a world whose gateway and controller are at work. */
  static async working(options: WorldOptions = {}): Promise<World> {
    const world = await World.make(options);
    world.startGateway();
    await world.startController();
    await until("the gateway is ready", () => world.isReady("gateway"));
    return world;
  }

  /** Has a Run go by: the first one of a namespace also pays for what is made once in it. */
  async warmUp(): Promise<void> {
    await this.deliver("warm-up");
    await this.written("warm-up");
  }

  /** Resolves when nothing is left to write for a Run: it is cleaned up, its session has ended, its automation shows it so, and the controller is silent. */
  async written(name: string): Promise<Run> {
    const run = await this.cleanedUp(name);
    const verdict = run.status?.conditions?.find(({ type }) => type === "Succeeded")?.reason;
    await until(`the automation shows how ${name} ended`, async () => {
      const key = { namespace: this.namespace, name: run.spec.automationRef.name };
      const { activeRuns, lastRun } = (await this.client.get(Automation, key)).status ?? {};
      return activeRuns === 0 && lastRun?.name === name && lastRun.reason === verdict;
    });
    await this.settled();
    return this.run(name);
  }

  /** Resolves when the controller, but for its own Lease, was silent for longer than the second for which it holds writes back. */
  async settled(): Promise<void> {
    const count = (): number => this.proxies.controller.seen.filter(({ path }) => !path.includes("/leases/")).length;
    let before = count();
    for (let lookedMs = 0; lookedMs < 1_500; lookedMs += 50) {
      await delay(50);
      if (before !== count()) lookedMs = 0;
      before = count();
    }
  }

  async close(): Promise<void> {
    await kill(this.#controller);
    for (const close of this.#closers) await close();
  }

  async #prepareTenant(): Promise<void> {
    const { client, namespace } = this;
    await client.create(SandboxClass, aSandboxClass("standard", { default: true }));
    await client.create(serviceAccounts, { metadata: { name: "runner", namespace } });
    const metadata = { name: "runner", namespace };
    const rule = { apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"], resourceNames: ["standard"] };
    await client.create(roles, { metadata, rules: [rule] });
    await client.create(roleBindings, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "runner" },
      subjects: [{ kind: "ServiceAccount", name: "runner", namespace }],
    });
    await this.createAutomation("fix");
  }

  #spawn(name: "controller" | "gateway" | "ingress", proxy: FaultProxy, observabilityPort: number): ChildProcess {
    const kubeconfig = join(this.#plane.directory, `${name}.kubeconfig`);
    writeFileSync(kubeconfig, proxy.kubeconfig(this.users[name]));
    const program = testPrograms().operator;
    const child = spawn(process.execPath, [program, name], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...this.environment,
        ...programEnvironment(program),
        KUBECONFIG: kubeconfig,
        POD_NAME: `${name}-under-test`,
        RUNWRIGHT_NAMESPACE: this.#release.namespace,
        RUNWRIGHT_KEYS_NAMESPACE: this.#release.keysNamespace,
        RUNWRIGHT_SESSIONS_NAMESPACE: this.#release.sessionsNamespace,
        RUNWRIGHT_SANDBOX_IMAGE: "sandbox:1",
        RUNWRIGHT_GATEWAY_URL: `wss://localhost:${this.#ports.sandbox}`,
        RUNWRIGHT_SANDBOX_PORT: String(this.#ports.sandbox),
        RUNWRIGHT_PEOPLE_PORT: String(this.#ports.people),
        RUNWRIGHT_OBSERVABILITY_PORT: String(observabilityPort),
        RUNWRIGHT_BLOB_DIRECTORY: join(this.#plane.directory, "blobs"),
      },
    });
    const keep = (text: Buffer): void => {
      this.#output += text.toString("utf8");
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    return child;
  }
}

function isReadyAt(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
