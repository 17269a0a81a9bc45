import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { gatewayLeaseLabels } from "../../../src/api/runtime/pod-contract.ts";
import { Bundle } from "../../../src/api/runtime/bundle.ts";
import {
  annotations,
  attemptName,
  bundleDataKey,
  group,
  labels,
  Prompt,
  Repository,
  Run,
  SandboxClass,
  type SandboxClassSpec,
  Session,
  type SessionSpec,
  type Settings,
} from "../../../src/api/v1alpha1/index.ts";
import { permissions } from "../../../src/controllers/permissions.ts";
import type { PoolAnswer } from "../../../src/controllers/metrics/pool-metrics.ts";
import { sessionController } from "../../../src/controllers/session/controller.ts";
import { poolController } from "../../../src/controllers/pool/controller.ts";
import { WarmPods } from "../../../src/controllers/sandbox/pool/warm-pods.ts";
import { GatewayPresence } from "../../../src/controllers/sandbox/observe/gateway-presence.ts";
import { SecretsMacKey } from "../../../src/controllers/sandbox/images/secrets-mac.ts";
import { sandboxInformers } from "../../../src/controllers/sandbox/informers.ts";
import { kindInformers } from "../../../src/controllers/kind-informers.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import {
  defineResource,
  type Lease,
  leases,
  type Pod,
  pods,
  secrets,
  serviceAccounts,
} from "../../../src/kube/core-resources.ts";
import { namespaces } from "../../support/core-resources.ts";
import type { EventFacts } from "../../../src/kube/event-recorder.ts";
import type { Informer } from "../../../src/kube/informer.ts";
import { microTime } from "../../../src/kube/micro-time.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { ownerReferenceTo, type KubeObject } from "../../../src/lib/resource.ts";
import { sandboxPodName } from "../../../src/controllers/sandbox/pod/names.ts";
import { type RoleBinding, roleBindings, roles } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import type { SkillSetBound, SkillSetBudgets } from "../../../src/controllers/sandbox/skills/set-budget.ts";
import { skillSetLedger } from "../../../src/controllers/sandbox/skills/set-ledger.ts";
import { SkillSetUse } from "../../../src/controllers/sandbox/skills/set-use.ts";
import { TenantNamespaces } from "../../../src/controllers/sandbox/tenant/tenant-namespaces.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { aPrompt, aRepository, aRun, aRunningPodStatus, aSandboxClass, aSession } from "../../support/builders.ts";
import { ControllersWorld, type RunningOperator } from "../../support/controllers-world.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";
import { grantProcess, newRelease, processClient, type TestRelease } from "../../support/process-accounts.ts";
import { type Trouble, troubled } from "../../support/trouble.ts";
import { privateNetwork } from "../../support/private-network.ts";

class OutagesIgnored extends GatewayPresence {
  override outage(): undefined {
    return undefined;
  }
}

/** A controller process, in so far as it concerns sessions. */
export interface Operator extends RunningOperator {
  /** What it wrote, as `create Pod` or `patch Session/status`, in order; failed ones included. */
  readonly writes: string[];
  /** All that it asked of the API server, as `get Lease`; watches and what fills its caches left out. */
  readonly requests: string[];
  /** Sessions as its writes left them, in order. */
  readonly storedSessions: Session[];
  readonly events: EventFacts[];
  /** What its starts got of pools, in order. */
  readonly poolAnswers: PoolAnswer[];
  /** Budgets that left no room for a set of skills, in order. */
  readonly skillSetRefusals: SkillSetBound[];
  /** What it knows of tenant namespaces. */
  readonly namespaces: TenantNamespaces;
  /** From now on it sees no change of a sandbox's Lease. */
  loseLeaseWatch(): Promise<void>;
  /** From now on it sees no change of a pod. */
  losePodWatch(): Promise<void>;
  /** Whether its caches hold this version of a Lease, a sandbox's or a gateway's. */
  hasSeen(lease: Lease): boolean;
}

export { conditionOf } from "../../support/tenant-world.ts";

type Rules = { resources: string[]; verbs: string[]; resourceNames?: string[] }[];

const limitRanges = defineResource<KubeObject & { spec: object }>({
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  namespaced: true,
});

const minutes = 60_000;
export const limits = { bootTimeoutMs: 30 * minutes, executionTimeoutMs: 120 * minutes };

/** A tenant namespace on a real API server, with time, kubelet and gateway in the test's hands. */
export class World extends ControllersWorld<Operator> {
  /** The operator's, with the rights that it declares. */
  readonly operatorClient: KubeClient;
  readonly sessionsNamespace: string;
  readonly keysNamespace: string;
  readonly release: { name: string; namespace: string };
  /** What the next operator's variables set. */
  operatorSettings: Settings = {};
  /** What runtimes trust the gateway by. */
  gatewayCa = "PEM";
  #gatewayBeats = 0;
  #allowed = 0;

  private constructor(
    clients: { admin: KubeClient; operator: KubeClient },
    tenant: string,
    { name, namespace, keysNamespace, sessionsNamespace }: Required<TestRelease>,
    disconnect: () => Promise<void>,
  ) {
    super(clients.admin, tenant, disconnect);
    this.operatorClient = clients.operator;
    this.sessionsNamespace = sessionsNamespace;
    this.keysNamespace = keysNamespace;
    this.release = { name, namespace };
  }

  /** With a class of the namespace's name, and the account `runner` that may use it. */
  static async make(kubeconfig: string): Promise<World> {
    const connection = clientOf({ file: kubeconfig });
    const { client } = connection;
    const [tenant, release] = await Promise.all([newNamespace(client, "tenant"), newRelease(client, "rw")]);
    const user = await grantProcess(client, "controller", release, permissions);
    const operator = processClient("controller", await readFile(kubeconfig, "utf8"), user);
    const clients = { admin: client, operator: operator.client };
    const world = new World(clients, tenant, release, async () => {
      // Each process of every later test would list it.
      await client.delete(SandboxClass, { name: tenant });
      await operator.close();
      await connection.close();
    });
    await world.createClass(tenant);
    await client.create(serviceAccounts, { metadata: { name: "runner", namespace: tenant } });
    await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [tenant] }]);
    return world;
  }

  /**
   * Tests let hours pass in which nothing renews the Lease of a gateway. Only `hasOutages` takes that for an outage, in
   * which clocks stand still.
   */
  async startOperator(
    trouble: Trouble = {},
    {
      hasOutages = false,
      hasPools = false,
      hasImages = false,
      refills = true,
      skillSetBudgets = undefined as SkillSetBudgets | undefined,
    } = {},
  ): Promise<Operator> {
    const writes: string[] = [];
    const requests: string[] = [];
    const storedSessions: Session[] = [];
    const events: EventFacts[] = [];
    const poolAnswers: PoolAnswer[] = [];
    const skillSetRefusals: SkillSetBound[] = [];
    const { namespace, sessionsNamespace, release, clock } = this;
    const reads = { client: this.operatorClient, clock: systemClock, random: systemRandom };
    const kinds = kindInformers(reads, { namespace });
    const informers = {
      sessions: kinds.sessions,
      prompts: kinds.prompts,
      sandboxClasses: kinds.sandboxClasses,
      prebuiltImages: kinds.prebuiltImages,
      ...(hasPools && { sandboxPools: kinds.sandboxPools }),
      ...sandboxInformers(reads, { release, sessionsNamespace }),
    };
    const followed = Object.values(informers) as Informer<KubeObject>[];
    const work = new ControllersAtWork(this.client, followed);
    const client = this.operatorClient.withHooks(troubled(trouble, writes)).withHooks({
      afterWrite: (resource, stored) => {
        if (resource.kind === Session.kind) storedSessions.push(stored as Session);
      },
      afterRequest: ({ verb, resource }) => void requests.push(`${verb} ${resource.kind}`),
    });
    const namespaces = new TenantNamespaces({ client, clock, release, gatewayPort: 8443, network: privateNetwork });
    const environment = { release, image: "sandbox:1", gatewayUrl: "wss://gateway.invalid:8443" };
    const warmPods = new WarmPods({
      pools: (of) => informers.sandboxPools?.list(of) ?? [],
      pod: (key) => informers.pods.get(key),
      gatewayLeases: () => informers.gatewayLeases.list(),
    });
    const skillSetLimits = {
      skillSetBudgets,
      skillSetRefused: (bound: SkillSetBound) => void skillSetRefusals.push(bound),
    };
    const found = {
      caBundle: () => this.gatewayCa,
      gatewayAddresses: () => Promise.resolve(["10.96.0.9"]),
      hasUserNamespaces: () => false,
    };
    const common = { client, clock, random: systemRandom, log: silent, namespaces, metrics: work.metrics, ...found };
    const images = {
      images: (of: string) => informers.prebuiltImages.list(of),
      macKey: new SecretsMacKey({ client, random: systemRandom, sessionsNamespace }),
      defaultImage: environment.image,
      log: silent,
    };
    const controller = sessionController({
      ...(hasPools && { warmPods }),
      ...(hasImages && { images }),
      poolMetrics: { started: (answer) => void poolAnswers.push(answer) },
      operator: { settings: this.operatorSettings, executionTimeoutMs: limits.executionTimeoutMs },
      github: { apiURLs: ["https://api.github.com"] },
      ...common,
      informers,
      events: { record: (facts) => void events.push(facts) },
      skillSets: new SkillSetUse(clock, skillSetLedger(skillSetLimits, informers)),
      gateways: hasOutages ? new GatewayPresence(clock) : new OutagesIgnored(clock),
      rules: {
        limits,
        start: {
          environment,
          sessionsNamespace,
          tunnels: { peopleUrl: "https://gateway.invalid", waitSeconds: 30 },
          bootTimeoutMs: limits.bootTimeoutMs,
        },
      },
    });
    const { sandboxPools } = informers;
    const pools =
      refills &&
      sandboxPools &&
      poolController({
        ...common,
        informers: { ...informers, sandboxPools },
        environment,
        places: controller.places,
      });
    const controllers = [controller, ...(pools ? [pools] : [])];
    await this.follow(followed);
    await Promise.all(controllers.map((one) => one.start()));
    const parts = {
      writes,
      requests,
      storedSessions,
      events,
      poolAnswers,
      skillSetRefusals,
      work,
      namespaces,
      loseLeaseWatch: () => {
        work.ignore(informers.leases);
        return informers.leases.stop();
      },
      losePodWatch: () => {
        work.ignore(informers.pods);
        return informers.pods.stop();
      },
      hasSeen: ({ metadata }: Lease) => {
        const { name = "", namespace, resourceVersion } = metadata;
        const cached = [informers.leases, informers.gatewayLeases].map((cache) => cache.get({ namespace, name }));
        return cached.some((one) => one?.metadata.resourceVersion === resourceVersion);
      },
    };
    return this.operate(parts, controllers, followed);
  }

  createClass(name: string, spec: Partial<SandboxClassSpec> = {}): Promise<SandboxClass> {
    return this.client.create(SandboxClass, aSandboxClass(name, { sandboxTimeoutMs: 120 * minutes, ...spec }));
  }

  /** Lets the account `runner` do more in the session's namespace. */
  allowRunner(rules: Rules): Promise<void> {
    return this.allowAccount("runner", rules);
  }

  /** Lets an account do more in the session's namespace. */
  allowAccount(name: string, rules: Rules): Promise<void> {
    return this.#allow({ kind: "ServiceAccount", name, namespace: this.namespace }, rules);
  }

  async #allow(subject: NonNullable<RoleBinding["subjects"]>[number], rules: Rules): Promise<void> {
    this.#allowed += 1;
    const metadata = { name: `allowed-${this.#allowed}`, namespace: this.namespace };
    await this.client.create(roles, { metadata, rules: rules.map((rule) => ({ apiGroups: [group], ...rule })) });
    await this.client.create(roleBindings, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: metadata.name },
      subjects: [subject],
    });
  }

  /** Lets a group of accounts do more in the session's namespace. */
  allowGroup(name: string, rules: Rules): Promise<void> {
    return this.#allow({ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name }, rules);
  }

  async labelNamespace(added: Record<string, string>): Promise<void> {
    await this.client.patch(namespaces, { name: this.namespace }, { metadata: { labels: added } });
  }

  /** Has admission refuse every further pod: no two containers may be in one. */
  async forbidPods(): Promise<void> {
    await this.client.create(limitRanges, {
      metadata: { name: "none", namespace: this.namespace },
      spec: { limits: [{ type: "Pod", max: { cpu: "1m" } }] },
    });
  }

  /** A session as a Run makes it: nothing is kept up when the last prompt has ended. */
  createSession(name: string, spec: Partial<SessionSpec> = {}, metadata: Session["metadata"] = {}): Promise<Session> {
    const session = { sandboxClassName: this.namespace, ...spec };
    return this.client.create(Session, aSession({ metadata: { ...this.named(name), ...metadata }, spec: session }));
  }

  createRepository(name: string, spec: Partial<Repository["spec"]> = {}): Promise<Repository> {
    return this.client.create(Repository, aRepository(name, { metadata: this.named(name), spec }));
  }

  /** A Run, and the metadata of a session that it made. */
  async createRun(name: string): Promise<{ run: Run; metadata: Session["metadata"] }> {
    const run = await this.client.create(Run, aRun({ metadata: this.named(name) }));
    const uid = run.metadata.uid ?? "";
    return { run, metadata: { labels: { [labels.runUid]: uid }, ownerReferences: [ownerReferenceTo(Run, run)] } };
  }

  createPrompt(session: Session, index: number): Promise<Prompt> {
    const { name = "", uid = "", namespace } = session.metadata;
    const metadata = {
      name: `${name}-${index}`,
      namespace,
      labels: { [labels.sessionUid]: uid },
      ownerReferences: [{ apiVersion: `${group}/v1alpha1`, kind: "Session", name, uid, controller: true }],
    };
    return this.client.create(Prompt, aPrompt({ metadata, spec: { sessionRef: { name } } }));
  }

  async deletePrompt(name: string): Promise<void> {
    await this.client.delete(Prompt, this.named(name));
  }

  async cancelPrompt(name: string): Promise<void> {
    await this.client.patch(Prompt, this.named(name), { spec: { cancel: true } });
  }

  /** Until the API server's clock shows another second. */
  async passSecond(): Promise<void> {
    await delay(1_000);
  }

  /** A stranger's pod under the name that the session's sandbox would have. */
  async createStranger({ metadata }: Session, attempt: number): Promise<string> {
    const name = sandboxPodName({ name: metadata.name ?? "", uid: metadata.uid ?? "" }, attempt);
    const spec = { serviceAccountName: "runner", containers: [{ name: "other", image: "other:1" }] };
    await this.client.create(pods, { metadata: this.named(name), spec });
    return name;
  }

  /** Names of bundle Secrets in the sessions namespace. */
  async bundles(): Promise<string[]> {
    const { items } = await this.client.list(secrets, { namespace: this.sessionsNamespace });
    return items.map(({ metadata }) => metadata.name ?? "");
  }

  /** What a sandbox attempt boots with. */
  async bundle({ metadata }: Pick<Session, "metadata">, attempt: number): Promise<Bundle> {
    const key = { namespace: this.sessionsNamespace, name: attemptName(metadata.uid ?? "", attempt) };
    const { data } = await this.client.get(secrets, key);
    return Bundle.parse(JSON.parse(Buffer.from(data?.[bundleDataKey] ?? "", "base64").toString()));
  }

  /** Names of sandbox attempts' Leases. */
  async leases(): Promise<string[]> {
    const { items } = await this.client.list(leases, { namespace: this.sessionsNamespace });
    return items.map(({ metadata }) => metadata.name ?? "");
  }

  /** What the kubelet says of a pod. */
  async reportPod(name: string, status: object): Promise<void> {
    await this.client.patch(pods, this.named(name), { status }, { subresource: "status" });
  }

  /** What the kubelet says when both containers run. */
  reportRunning(name: string): Promise<void> {
    return this.reportPod(name, aRunningPodStatus());
  }

  /** Takes a pod away as a drain does; one that is on a node stays, terminating. */
  async deletePod(name: string): Promise<void> {
    await this.client.delete(pods, this.named(name));
  }

  /** Puts a pod on a node, so that its deletion has to wait for a kubelet. */
  async schedule(name: string): Promise<void> {
    const key = this.named(name);
    const body = { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { kind: "Node", name: "node-1" } };
    await this.client.createSubresource(pods, key, { subresource: "binding", body });
  }

  /** What the gateway writes when a runtime first connects. */
  async connect(session: Session, attempt: number): Promise<void> {
    const { name = "", uid = "", namespace = "" } = session.metadata;
    const bundle = await this.client.get(secrets, {
      namespace: this.sessionsNamespace,
      name: attemptName(uid, attempt),
    });
    await this.client.create(leases, {
      metadata: {
        name: attemptName(uid, attempt),
        namespace: this.sessionsNamespace,
        labels: { [labels.sessionUid]: uid, [labels.sessionName]: name, [labels.sessionNamespace]: namespace },
        annotations: { [annotations.connectedTime]: this.clock.now().toISOString() },
        ownerReferences: [
          { apiVersion: "v1", kind: "Secret", name: bundle.metadata.name ?? "", uid: bundle.metadata.uid ?? "" },
        ],
      },
      spec: { renewTime: microTime(this.clock.now()) },
    });
  }

  /** What the gateway notes of a sandbox: ready, or why boot failed. */
  async noteOnLease(session: Session, attempt: number, said: Record<string, string>): Promise<void> {
    await this.#patchLease(session, attempt, { metadata: { annotations: said } });
  }

  reportReady(session: Session, attempt: number): Promise<void> {
    return this.noteOnLease(session, attempt, { [annotations.readyTime]: this.clock.now().toISOString() });
  }

  /** A heartbeat of the runtime. */
  async beat(session: Session, attempt: number): Promise<void> {
    const beat = { spec: { renewTime: microTime(this.clock.now()) } };
    await this.#untilSeen(await this.#patchLease(session, attempt, beat));
  }

  /** Deletes the Lease that the gateway keeps for a sandbox. */
  async deleteLease({ metadata }: Session, attempt: number): Promise<void> {
    const name = attemptName(metadata.uid ?? "", attempt);
    await this.client.delete(leases, { namespace: this.sessionsNamespace, name });
  }

  /** A gateway replica says that it is there. */
  async beatGateway(): Promise<void> {
    const key = { namespace: this.release.namespace, name: "gateway-0" };
    this.#gatewayBeats += 1;
    const spec = { renewTime: microTime(new Date(this.#gatewayBeats)) };
    const written =
      this.#gatewayBeats > 1
        ? await this.client.patch(leases, key, { spec })
        : await this.client.create(leases, { metadata: { ...key, labels: { ...gatewayLeaseLabels } }, spec });
    await this.#untilSeen(written);
  }

  /** The gateway says on its own Lease that these pods wait. */
  async noteWaiting(uids: readonly string[]): Promise<void> {
    if (this.#gatewayBeats === 0) await this.beatGateway();
    const key = { namespace: this.release.namespace, name: "gateway-0" };
    const waiting = { metadata: { annotations: { [annotations.waitingPods]: uids.join(",") } } };
    await this.#untilSeen(await this.client.patch(leases, key, waiting));
  }

  /** Time goes on in steps of 5 s, in each of which a gateway is heard. */
  async passWithGateways(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 5_000) {
      await this.beatGateway();
      this.clock.advance(Math.min(5_000, ms - passedMs));
    }
  }

  /** While time stands still. */
  async #untilSeen(lease: Lease): Promise<void> {
    await until("the operators saw the Lease", () => [...this.operators].every((one) => one.hasSeen(lease)));
  }

  /** What the agent says that a prompt cost. */
  async reportCost(name: string, costUsd: string): Promise<void> {
    const prompt = await this.prompt(name);
    await this.client.patchStatus(Prompt, prompt, { ...prompt.status, usage: { costUsd } });
  }

  /** Waits until something is so while time goes on by `stepMs` for each look, so that backoffs end. */
  until(what: string, isSo: () => boolean | Promise<boolean>, stepMs = 20): Promise<void> {
    return this.time.until(what, isSo, { stepMs });
  }

  /** Waits for the pod of one attempt. */
  untilPod(attempt: number): Promise<Pod> {
    const find = async (): Promise<Pod | undefined> =>
      (await this.pods()).find(({ metadata }) => metadata.labels?.[labels.attempt] === String(attempt));
    return this.time.find(`a pod of attempt ${attempt}`, find, { stepMs: 20 });
  }

  /** Waits until the session's status shows something, while time goes on by `stepMs` for each look. */
  untilSession(
    name: string,
    what: string,
    isSo: (status: NonNullable<Session["status"]>) => boolean,
    stepMs = 20,
  ): Promise<Session> {
    const find = async (): Promise<Session | undefined> => {
      const session = await this.session(name);
      return isSo(session.status ?? {}) ? session : undefined;
    };
    return this.time.find(`session ${name}: ${what}`, find, { stepMs });
  }

  /** Lets a sandbox get to the point where a prompt is processed. */
  async bringUp(session: Session, attempt = 1): Promise<Pod> {
    const pod = await this.untilPod(attempt);
    await this.reportRunning(pod.metadata.name!);
    await this.untilSession(session.metadata.name!, "sandbox recorded", ({ sandbox }) => sandbox?.attempt === attempt);
    await this.connect(session, attempt);
    await this.reportReady(session, attempt);
    await this.untilSession(session.metadata.name!, "ready", ({ sandbox }) => sandbox?.readyTime !== undefined);
    return pod;
  }

  /** Lets everything that is under way come to rest, while 25 times `stepMs` pass in each round. */
  async rest({ work }: Pick<Operator, "work">, stepMs = 20): Promise<void> {
    await this.time.rest(work, 25 * stepMs);
  }

  #patchLease(session: Session, attempt: number, patch: object): Promise<Lease> {
    const name = attemptName(session.metadata.uid ?? "", attempt);
    return this.client.patch(leases, { namespace: this.sessionsNamespace, name }, patch);
  }
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
