import { createHmac, randomUUID } from "node:crypto";

import { Registry } from "prom-client";

import {
  Conversation,
  type GitHubEventType,
  Integration,
  IntegrationEvent,
  integrationSecretName,
  labels,
  Prompt,
  Repository,
  Session,
} from "../../../src/api/v1alpha1/index.ts";
import type { GatewayAccess } from "../../../src/connector/gateway/call-gateway.ts";
import { defineConnectorMetrics } from "../../../src/connector/metrics/connector-metrics.ts";
import { permissions as connectorPermissions } from "../../../src/connector/permissions.ts";
import { type RunningConnector, startConnector } from "../../../src/connector/start-connector.ts";
import { integrationController } from "../../../src/controllers/integration/controller.ts";
import { permissions as integrationPermissions } from "../../../src/controllers/integration/permissions.ts";
import { integrationInformers, kindInformers } from "../../../src/controllers/kind-informers.ts";
import type { AnswerFacts } from "../../../src/ingress/answer-facts.ts";
import { EventWriter } from "../../../src/ingress/integrations/event-writer.ts";
import { IntegrationReader } from "../../../src/ingress/integrations/integration-reader.ts";
import { permissions as ingressPermissions } from "../../../src/ingress/permissions.ts";
import { type Ingress, startIngress } from "../../../src/ingress/start-ingress.ts";
import { startDeliveryStore } from "../../../src/ingress/cluster/delivery-store.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { EventFacts } from "../../../src/kube/event-recorder.ts";
import { leases, secrets } from "../../../src/kube/core-resources.ts";
import { systemClock, type Clock } from "../../../src/lib/clock.ts";
import type { Permission, PermissionScope } from "../../../src/lib/permissions.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { defineKubeMetrics } from "../../../src/telemetry/kube-metrics.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";
import { aVerdict } from "../../support/builders.ts";
import { type Rule, serviceAccountUser, untilAllowed } from "../../support/authorized.ts";
import { labelsOf, type Place } from "../../support/policies-of-any-release.ts";
import { makeNamespace, testApi, testCluster } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { clientOf, until } from "../../support/kube.ts";
import { refusedRequests } from "../../support/refused-requests.ts";
import type { GitHubServer } from "../../support/github-model.ts";
import { startGitHubServer } from "../../support/github-server.ts";
import { type LinearIssue, type LinearServer, startLinearServer } from "../../support/linear-server.ts";
import { type SlackServer, startSlackServer } from "../../support/slack-server.ts";
import { conditionOf } from "../../support/tenant-world.ts";

export const signingSecret = "planted-signing-secret";

/** One connector with ways of its own to the API server and to Linear. */
export interface Connector {
  name: string;
  proxy: FaultProxy;
  running: RunningConnector;
  /** Ends it as `kill -9` does: nothing more of it reaches the API server or Linear. */
  kill(): void;
  close(): Promise<void>;
}

/** What a sender of Linear's sends beside the body. */
export interface Sending {
  deliveryId?: string;
  secret?: string;
  at?: Date;
}

/** An issue of Linear's, or the subject of a conversation. */
export type About = LinearIssue | string;

/** Ingress, Integration controller and connectors at work for one Integration, beside a Linear. */
export class World {
  readonly github: GitHubServer;
  readonly linear: LinearServer;
  readonly slack: SlackServer;
  readonly client: KubeClient;
  readonly namespace: string;
  readonly ingress: Ingress;
  readonly ingressProxy: FaultProxy;
  readonly answers: AnswerFacts[];
  readonly connectors: Connector[] = [];
  /** Where connectors that are started from now on put images. */
  gateway: GatewayAccess = { url: "https://127.0.0.1:1", authoritiesFile: "/none", tokenFile: "/none" };
  /** What the Integration controller has recorded. */
  readonly recorded: readonly EventFacts[];
  /** What Automations want of an Integration, as the ingress knows it. */
  readonly wantedEvents: (integration: Integration) => ReadonlySet<GitHubEventType>;
  /** The same of channels in Slack. */
  readonly wantedChannels: (integration: Integration) => ReadonlySet<string>;
  readonly #controllerProxy: FaultProxy;
  readonly #places: Record<"release" | "keys" | "tokens", string>;
  readonly #closers: (() => Promise<unknown> | undefined)[];
  /** What the API server refused to connectors that have ended. */
  readonly #refused: string[] = [];
  #issues = 0;

  private constructor(parts: {
    github: GitHubServer;
    linear: LinearServer;
    slack: SlackServer;
    client: KubeClient;
    namespace: string;
    places: Record<"release" | "keys" | "tokens", string>;
    ingress: Ingress;
    ingressProxy: FaultProxy;
    controllerProxy: FaultProxy;
    answers: AnswerFacts[];
    recorded: readonly EventFacts[];
    wantedEvents: World["wantedEvents"];
    wantedChannels: World["wantedChannels"];
    closers: (() => Promise<unknown> | undefined)[];
  }) {
    this.github = parts.github;
    this.linear = parts.linear;
    this.slack = parts.slack;
    this.client = parts.client;
    this.namespace = parts.namespace;
    this.ingress = parts.ingress;
    this.ingressProxy = parts.ingressProxy;
    this.#controllerProxy = parts.controllerProxy;
    this.answers = parts.answers;
    this.recorded = parts.recorded;
    this.wantedEvents = parts.wantedEvents;
    this.wantedChannels = parts.wantedChannels;
    this.#places = parts.places;
    this.#closers = parts.closers;
  }

  static async make(): Promise<World> {
    const github = await startGitHubServer();
    const linear = await startLinearServer();
    const slack = await startSlackServer();
    const makePlace = (place: Place): Promise<string> => makeNamespace(place, labelsOf(place));
    const [namespace, release, keys, tokens] = await Promise.all([
      makeNamespace("tenant"),
      ...(["release", "keys", "tokens"] as const).map(makePlace),
    ]);
    const places = { release: release!, keys: keys!, tokens: tokens! };
    for (const [process, permissions] of [
      ["controller", integrationPermissions],
      ["ingress", ingressPermissions],
      ["connector", connectorPermissions],
    ] as const) {
      await grant(process, permissions, places);
    }
    const tester = clientOf({ file: testCluster().kubeconfig });
    const closers: (() => Promise<unknown> | undefined)[] = [
      () => github.close(),
      () => linear.close(),
      () => slack.close(),
      () => tester.close(),
    ];
    const recorded: EventFacts[] = [];
    const controller = await startController(places, namespace, recorded);
    closers.push(() => controller.close());
    const { ingress, proxy, answers, wantedEvents, wantedChannels, ...started } = await startTestIngress(places);
    closers.push(() => started.close());
    const parts = {
      github,
      linear,
      slack,
      client: tester.client,
      namespace: namespace,
      places,
      ingress,
      ingressProxy: proxy,
      controllerProxy: controller.proxy,
      answers,
      recorded,
      wantedEvents,
      wantedChannels,
      closers,
    };
    return new World(parts);
  }

  get url(): string {
    return `http://127.0.0.1:${this.ingress.port}`;
  }

  get keysNamespace(): string {
    return this.#places.keys;
  }

  get tokensNamespace(): string {
    return this.#places.tokens;
  }

  /** @throws where the API server refused what a process of ours asked for with its own ServiceAccount */
  async close(): Promise<void> {
    await Promise.all(this.connectors.map((connector) => connector.close()));
    const refused = [...this.#refused, ...[this.ingressProxy, this.#controllerProxy].flatMap(refusedRequests)];
    for (const close of this.#closers.toReversed()) await close();
    if (refused.length > 0) throw new Error(`rights or admission policies refused:\n${refused.join("\n")}`);
  }

  /** The URL of another replica of the ingress. */
  async startIngress(): Promise<string> {
    const { ingress, close } = await startTestIngress(this.#places);
    this.#closers.push(close);
    return `http://127.0.0.1:${ingress.port}`;
  }

  /**
   * A connector whose clock is ahead by so many milliseconds; it leads if no other does, and a standby where no other does any
   * more.
   */
  async startConnector({
    aheadMs = 0,
    leads = true,
    isStandby = false,
  }: { aheadMs?: number; leads?: boolean; isStandby?: boolean } = {}): Promise<Connector> {
    const name = `c${this.connectors.length + 1}`;
    const proxy = await startFaultProxy(testCluster());
    const { client, ...connection } = clientOf({
      text: proxy.kubeconfig(serviceAccountUser("runwright-system", "runwright-connector")),
    });
    const registry = new Registry();
    // It holds a lease of another name where it is not to lead: the other never goes away for it.
    const running = startConnector({
      client,
      electionClient: leads ? client : neverLeading,
      clock: shifted(aheadMs),
      random: systemRandom,
      logger: createLogger({ process: "connector", level: process.env.TEST_LOG ?? "fatal" }),
      metrics: defineKubeMetrics(registry),
      connectorMetrics: defineConnectorMetrics(registry),
      release: { name: "runwright", namespace: this.#places.release, tokensNamespace: this.#places.tokens },
      watchNamespaces: [this.namespace],
      podName: name,
      identity: `${name}_${randomUUID()}`,
      githubUrl: `${this.github.url}/caller-${name}`,
      linearUrl: `${this.linear.url}/caller-${name}`,
      slackUrl: `${this.slack.url}/caller-${name}`,
      pageUrl: "https://runwright.example.com",
      gateway: this.gateway,
    });
    let isDead = false;
    const connector: Connector = {
      name,
      proxy,
      running,
      kill: () => {
        isDead = true;
        this.github.dead.add(name);
        this.linear.dead.add(name);
        this.slack.dead.add(name);
        proxy.decide(() => ({ kind: "refuse" }));
        proxy.breakWatches("reset");
      },
      close: async () => {
        if (isDead) proxy.decide(() => ({ kind: "answer", status: 403 }));
        await running.close();
        this.#refused.push(...refusedRequests(proxy));
        await connection.close();
        await proxy.close();
      },
    };
    this.connectors.push(connector);
    await until("the connector is ready", () => running.notReadyBecause() === undefined);
    if (leads && !isStandby) await until("the connector leads", () => running.isLeading());
    return connector;
  }

  /** The lease of a killed leader has run out. */
  async forgetLeader(): Promise<void> {
    await this.client.delete(leases, { namespace: this.#places.release, name: "runwright-connector" });
  }

  /** An Integration of a name that no other has, with its Secrets and a Repository `acme/api`, once it is ready. */
  async makeIntegration(spec: Record<string, unknown> = {}, linear: object = {}): Promise<Integration> {
    const name = `tracker-${randomUUID().slice(0, 8)}`;
    const api = testApi();
    const secrets = `/api/v1/namespaces/${this.namespace}/secrets`;
    const secret = (secretName: string, stringData: object): Promise<unknown> =>
      api.apply(`${secrets}/${secretName}`, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: secretName },
        stringData,
      });
    await secret(`${name}-signing`, { "signing-secret": signingSecret });
    await secret(`${name}-app`, {
      "client-id": this.linear.clientId,
      "client-secret": this.linear.clientSecret,
      "bot-token": this.slack.token,
      "private-key": this.github.app.privateKey,
    });
    await this.makeRepository("api", "https://github.com/acme/api.git");
    const made = await this.client.create(Integration, {
      metadata: { name, namespace: this.namespace },
      spec: {
        type: "Linear",
        serviceAccountName: "runner",
        signingSecretRef: { name: `${name}-signing` },
        credentialsSecretRef: { name: `${name}-app` },
        access: { users: ["ann@example.com"] },
        linear: { organizationID: this.linear.organization.id, repositories: [{ name: "api" }], ...linear },
        ...spec,
      },
    } as unknown as Integration);
    await until("the integration is ready", async () => {
      const found = await this.client.get(Integration, { namespace: this.namespace, name });
      return conditionOf(found, "Ready")?.status === "True";
    });
    return made;
  }

  /** Waits until a connector knows an object as it was written. */
  async known({ metadata: { resourceVersion = "" } }: KubeObject): Promise<void> {
    await until("a connector knows it", () => this.connectors.some(({ proxy }) => proxy.hasPassed(resourceVersion)));
  }

  /** Changes an Integration, upon which its Secrets are read again. */
  async touch({ metadata: { name = "" } }: Integration): Promise<void> {
    const spec = { sessionInstructions: randomUUID() };
    await this.client.patch(Integration, { namespace: this.namespace, name }, { spec });
  }

  async makeRepository(name: string, url: string): Promise<void> {
    if (await this.client.find(Repository, { namespace: this.namespace, name })) return;
    await this.client.create(Repository, {
      metadata: { name, namespace: this.namespace },
      spec: { url, branch: "main" },
    });
  }

  /** An issue in Linear, in a backlog state of its team. */
  makeIssue(change: Partial<LinearIssue> = {}): LinearIssue {
    this.#issues += 1;
    const teamId = "7d4c2a9e-0000-4000-8000-0000000000aa";
    this.linear.states.set("backlog", { id: "backlog", type: "backlog", position: 0, teamId });
    this.linear.states.set("doing", { id: "doing", type: "started", position: 2, teamId });
    this.linear.states.set("review", { id: "review", type: "started", position: 3, teamId });
    this.linear.states.set("done", { id: "done", type: "completed", position: 4, teamId });
    const issue: LinearIssue = {
      id: randomUUID(),
      identifier: `ENG-${this.#issues}`,
      url: `https://linear.app/acme/issue/ENG-${this.#issues}`,
      title: "The login fails",
      priorityLabel: "High",
      description: "It says 500.",
      stateId: "backlog",
      teamId,
      labels: [],
      comments: [],
      ...change,
    };
    this.linear.issues.set(issue.id, issue);
    return issue;
  }

  /** A webhook of Linear's about an issue, signed and sent to the ingress. */
  async send(
    integration: Integration,
    body: object | string | Buffer,
    sending: Sending = {},
  ): Promise<{ status: number; body: unknown }> {
    const { deliveryId = randomUUID(), secret = signingSecret } = sending;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const path = `/integrations/${this.namespace}.${integration.metadata.name ?? ""}/linear`;
    const answer = await fetch(`${this.url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "linear-delivery": deliveryId,
        "linear-signature": createHmac("sha256", secret).update(bytes).digest("hex"),
      },
      body: new Uint8Array(bytes),
    });
    return { status: answer.status, body: await answer.json() };
  }

  /** An AgentSessionEvent as Linear writes it. */
  event(
    action: string,
    issue: LinearIssue,
    agentSessionId: string,
    rest: { text?: string | undefined; signal?: string | undefined; at?: Date } = {},
  ): object {
    const { text, signal, at = new Date() } = rest;
    const person = {
      id: "3f1d0000-0000-4000-8000-000000000009",
      name: "Ann",
      email: "ann@example.com",
      url: "https://linear.app/ann",
    };
    return {
      type: "AgentSessionEvent",
      action,
      createdAt: at.toISOString(),
      organizationId: this.linear.organization.id,
      oauthClientId: "client",
      appUserId: "5e0d0000-0000-4000-8000-000000000001",
      webhookId: "6a0d0000-0000-4000-8000-000000000001",
      webhookTimestamp: at.getTime(),
      agentSession: {
        id: agentSessionId,
        status: "pending",
        type: "commentThread",
        creator: person,
        ...(action === "created" && text !== undefined && { comment: { id: "c", body: text } }),
        issue: {
          id: issue.id,
          identifier: issue.identifier,
          title: issue.title,
          url: issue.url,
          teamId: issue.teamId,
          team: { id: issue.teamId, key: "ENG", name: "Engineering" },
        },
      },
      ...(action !== "created" && {
        agentActivity: {
          id: randomUUID(),
          agentSessionId,
          signal,
          content: { type: "prompt", body: text },
          user: person,
        },
      }),
    };
  }

  async events(integration: Integration): Promise<IntegrationEvent[]> {
    const { items } = await this.client.list(IntegrationEvent, { namespace: this.namespace });
    return items.filter(({ spec }) => spec.integrationRef.uid === integration.metadata.uid);
  }

  /** The conversation about an issue, or of a subject. */
  async conversation(issue: About): Promise<Conversation | undefined> {
    const { items } = await this.client.list(Conversation, { namespace: this.namespace });
    return items.find(({ spec }) => spec.subject === (typeof issue === "string" ? issue : `issue/${issue.id}`));
  }

  /** Sessions and Prompts of an issue, the oldest first. */
  async work(issue: About): Promise<{ sessions: Session[]; prompts: Prompt[] }> {
    const conversation = await this.conversation(issue);
    const labelSelector = `${labels.conversationUid}=${conversation?.metadata.uid ?? "none"}`;
    const sessions = await this.client.list(Session, { namespace: this.namespace, labelSelector });
    const prompts = await this.client.list(Prompt, { namespace: this.namespace, labelSelector });
    const age = (left: { metadata: { resourceVersion?: string | undefined } }, right: typeof left): number =>
      Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion);
    return { sessions: sessions.items.sort(age), prompts: prompts.items.sort(age) };
  }

  /** The event of a delivery, once it was handled. */
  async settledEvent(integration: Integration, deliveryId: string): Promise<IntegrationEvent> {
    const find = async (): Promise<IntegrationEvent | undefined> =>
      (await this.events(integration)).find(({ spec }) => spec.deliveryID === deliveryId);
    await until("the event is settled", async () => (await find())?.status?.settledTime !== undefined);
    return (await find())!;
  }

  /** Waits until the copy of the integration's credentials holds this secret. */
  async copied(integration: Integration, clientSecret: string): Promise<void> {
    const key = { namespace: this.tokensNamespace, name: integrationSecretName(integration.metadata.uid ?? "") };
    const wanted = Buffer.from(clientSecret).toString("base64");
    await until("the credentials are copied", async () => {
      return (await this.client.get(secrets, key)).data?.["client-secret"] === wanted;
    });
  }

  /** Waits until every event of the integration was handled. */
  async settled(integration: Integration): Promise<IntegrationEvent[]> {
    await until("all events are settled", async () => {
      const events = await this.events(integration);
      return events.length > 0 && events.every(({ status }) => status?.settledTime !== undefined);
    });
    return this.events(integration);
  }
}

/** Does what the gateway does when the agent has answered. */
export async function answerPrompt(
  { client, namespace }: Pick<World, "client" | "namespace">,
  prompt: Prompt,
  summary: string,
  succeeded = true,
  hasStarted = true,
): Promise<void> {
  const live = await client.get(Prompt, { namespace, name: prompt.metadata.name ?? "" });
  const now = new Date();
  await client.patchStatus(Prompt, live, {
    observedGeneration: 1,
    ...(hasStarted && { startTime: now.toISOString() }),
    completionTime: now.toISOString(),
    result: { summary, branch: "fix-login" },
    conditions: [aVerdict(succeeded, succeeded ? "Completed" : "Failed", now)],
  });
}

/** The prompts of an issue, once there is one. */
export async function promptsOf(world: World, issue: About): Promise<Prompt[]> {
  await until("there is a prompt", async () => (await world.work(issue)).prompts.length > 0);
  return (await world.work(issue)).prompts;
}

/** The system's clock, ahead by so much. */
function shifted(aheadMs: number): Clock {
  return { ...systemClock, now: () => new Date(systemClock.now().getTime() + aheadMs) };
}

/** Of one who never wins the election. */
const neverLeading = { find: () => new Promise<never>(() => undefined) } as unknown as KubeClient;

async function grant(
  process: string,
  permissions: readonly Permission[],
  places: Record<"release" | "keys" | "tokens", string>,
): Promise<void> {
  const api = testApi();
  const user = serviceAccountUser("runwright-system", `runwright-${process}`);
  const name = `integrations-${process}`;
  const group = "rbac.authorization.k8s.io";
  const base = `/apis/${group}/v1`;
  const subjects = [{ apiGroup: group, kind: "User", name: user }];
  const rulesOf = (...scopes: PermissionScope[]): Rule[] =>
    permissions.filter(({ scope }) => scopes.includes(scope)).map(({ scope: _scope, ...rule }) => rule as Rule);
  const apply = async (path: string, kind: "ClusterRole" | "Role", rules: Rule[]): Promise<void> => {
    const plural = kind === "Role" ? "roles" : "clusterroles";
    const bindings = kind === "Role" ? "rolebindings" : "clusterrolebindings";
    await api.apply(`${path}/${plural}/${name}`, { apiVersion: `${group}/v1`, kind, metadata: { name }, rules });
    const roleRef = { apiGroup: group, kind, name };
    await api.apply(`${path}/${bindings}/${name}`, {
      apiVersion: `${group}/v1`,
      kind: `${kind}Binding`,
      metadata: { name },
      roleRef,
      subjects,
    });
  };
  await apply(base, "ClusterRole", rulesOf("cluster", "tenants"));
  await untilAllowed(user, rulesOf("cluster", "tenants"));
  for (const [scope, namespace] of Object.entries(places) as [PermissionScope, string][]) {
    await apply(`${base}/namespaces/${namespace}`, "Role", rulesOf(scope));
    await untilAllowed(user, rulesOf(scope), namespace);
  }
}

async function startController(
  places: { keys: string; tokens: string },
  namespace: string,
  recorded: EventFacts[],
): Promise<{ proxy: FaultProxy; close: () => Promise<void> }> {
  const proxy = await startFaultProxy(testCluster());
  const { client, ...connection } = clientOf({
    text: proxy.kubeconfig(serviceAccountUser("runwright-system", "runwright-controller")),
  });
  const deps = { client, clock: systemClock, random: systemRandom };
  const selection = { namespaces: [namespace] };
  const { repositories } = kindInformers(deps, selection);
  const informers = { ...integrationInformers(deps, selection), repositories };
  const controller = integrationController({
    ...deps,
    informers,
    events: { record: (facts) => void recorded.push(facts) },
    release: { keysNamespace: places.keys, tokensNamespace: places.tokens },
    hasConnector: true,
  });
  for (const informer of Object.values(informers)) informer.start();
  await controller.start();
  return {
    proxy,
    async close() {
      await controller.stop(0);
      await Promise.all(Object.values(informers).map((informer) => informer.stop()));
      await connection.close();
      await proxy.close();
    },
  };
}

async function startTestIngress(places: { keys: string }): Promise<{
  ingress: Ingress;
  proxy: FaultProxy;
  answers: AnswerFacts[];
  wantedEvents: World["wantedEvents"];
  wantedChannels: World["wantedChannels"];
  close: () => Promise<void>;
}> {
  const proxy = await startFaultProxy(testCluster());
  const { client, ...connection } = clientOf({
    text: proxy.kubeconfig(serviceAccountUser("runwright-system", "runwright-ingress")),
  });
  const deps = { client, clock: systemClock, random: systemRandom, keysNamespace: places.keys };
  const store = startDeliveryStore(deps);
  const reader = new IntegrationReader(deps);
  reader.start();
  const answers: AnswerFacts[] = [];
  const ingress = await startIngress({
    port: 0,
    ...store,
    clock: systemClock,
    random: systemRandom,
    observer: { answered: (facts) => void answers.push(facts) },
    intake: { reader, events: new EventWriter({ client, clock: systemClock }) },
  });
  await until("the ingress is ready", () => ingress.notReadyBecause() === undefined);
  return {
    ingress,
    proxy,
    answers,
    wantedEvents: ({ metadata }) => store.automations.wantedEvents(metadata),
    wantedChannels: ({ metadata }) => store.automations.wantedChannels(metadata),
    async close() {
      await ingress.close();
      await store.stop();
      await reader.stop();
      await connection.close();
      await proxy.close();
    },
  };
}
