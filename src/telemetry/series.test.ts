import { EventEmitter, once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { type Automation, reasons, type Session } from "../api/v1alpha1/index.ts";
import { RunEffects } from "../controllers/run/effects.ts";
import { aRun, anAutomation } from "../controllers/run/fake-facts.ts";
import { endedStatus, startedStatus } from "../controllers/run/lifecycle.ts";
import { makeSession } from "../controllers/run/resources.ts";
import { Refusal } from "../domain/deliveries/refusal.ts";
import type { WebhookEndpoint } from "../domain/deliveries/delivery.ts";
import { compileFilters } from "../domain/filters/compile.ts";
import { hashApiKey } from "../domain/keys.ts";
import { defineGatewayMetrics } from "../gateway/metrics/gateway-metrics.ts";
import { ApiError, type ErrorCode, statusOf } from "../gateway/http/errors.ts";
import { operations } from "../gateway/api/openapi.ts";
import { createApiServer } from "../gateway/api/api-server.ts";
import { apiRouter, type HandlersOf, type Operation } from "../gateway/http/router.ts";
import { eventRoutes } from "../gateway/events/session-events.ts";
import { imageRoutes } from "../gateway/sessions/images/image-upload.ts";
import type { ConnectionDeps } from "../gateway/runtimes/connection-deps.ts";
import { Hub } from "../gateway/runtimes/hub.ts";
import type { Tunnels } from "../gateway/tunnels/tunnels.ts";
import { BodyBudget } from "../lib/body-budget.ts";
import { createIngressApp } from "../ingress/app.ts";
import { RateLimits } from "../ingress/rate-limits.ts";
import { KubeClient } from "../kube/client.ts";
import { Controller } from "../kube/controller.ts";
import { done } from "../kube/outcome.ts";
import type { Transport } from "../kube/transport.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import type { KubeObject } from "../lib/resource.ts";
import { defineIngressMetrics } from "../ingress/metrics.ts";
import { defineKubeMetrics } from "./kube-metrics.ts";
import { createLogger } from "./logger.ts";
import { defineRunMetrics } from "../controllers/metrics/run-metrics.ts";

/** What one process counts when these Runs go by; numbers are those of the Runs. */
type Process = (registry: Registry) => { go: (run: number) => Promise<unknown> };

const clock = new FakeClock();
const runs = 10_000;

async function seriesOf(registry: Registry): Promise<number> {
  return (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;
}

/** Has a handler answer one request that never was on a wire. */
async function exchange(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { body = "", ...from }: { method: string; url: string; body?: string },
): Promise<void> {
  const request = new IncomingMessage(new Socket());
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const headers = { "content-type": "application/json", authorization: "Bearer key", ...length };
  Object.assign(request, { ...from, headers, complete: true });
  request.push(body);
  request.push(null);
  const response = new ServerResponse(request);
  response.assignSocket(new DeafSocket());
  const finished = once(response, "finish");
  handle(request, response);
  await finished;
}

/** A socket whose other end takes everything. */
class DeafSocket extends Socket {
  override _write(_bytes: unknown, _encoding: string, written: () => void): void {
    written();
  }
}

const ingress: Process = (registry) => {
  const metrics = defineIngressMetrics(registry, { load: () => ({ working: 0, waiting: 0 }), hasConnector: true });
  const endpoint = (name: string): WebhookEndpoint => {
    const id = { type: "Webhook" as const, namespace: "demo", name, uid: name };
    const automation = {
      ...{ ...id, generation: 1, version: "1", readMs: 0, pausedBecause: undefined, filters: compileFilters([]) },
      idempotencyKey: () => undefined,
      ...{ requestRateLimit: { perSecond: 1, burst: 1 }, rateLimit: { perSecond: 1, burst: 1 } },
      ...{ maxUnfinishedRuns: 1, activeRuns: 0, lastRunName: undefined },
    };
    return { ...id, authentication: { type: "Bearer" }, keyHash: hashApiKey("key"), signingSecrets: [], automation };
  };
  const outcomes = [
    () => Promise.resolve({ verdict: "triggered" as const, message: "" }),
    () => Promise.resolve({ verdict: "skipped" as const, message: "" }),
    () => Promise.reject(new Refusal({ code: "Unavailable", message: "", cause: "create-failed" })),
    () => Promise.reject(new Error("a mistake")),
  ];
  let at = 0;
  const app = createIngressApp({
    clock,
    requests: new RateLimits(clock),
    bodies: new BodyBudget(),
    automations: { read: ({ name }) => Promise.resolve(name.startsWith("no-") ? undefined : endpoint(name)) },
    runs: { create: () => outcomes[(at += 1) % outcomes.length]!() },
    ledger: { note: () => undefined, countRefusal: () => undefined },
    observer: { answered: (facts) => metrics.answered(facts) },
    random: { bytes: (size) => Buffer.alloc(size, at) },
  });
  const forms = [
    (run: number) => ({ method: "POST", url: `/webhooks/automation/demo.fix-${run}`, body: `{"run":${run}}` }),
    (run: number) => ({ method: "POST", url: `/webhooks/automation/demo.fix-${run}`, body: `{"run":` }),
    (run: number) => ({ method: "POST", url: `/webhooks/automation/demo.no-${run}`, body: "{}" }),
    (run: number) => ({ method: `METHOD${run}`, url: `/webhooks/automation/demo.fix-${run}` }),
    (run: number) => ({ method: "POST", url: `/webhooks/automation/demo.fix-${run}`, body: `{"again":${run}}` }),
  ];
  return { go: (run) => exchange(app, forms[run % forms.length]!(run)) };
};

/** An API server that stores whatever it is given, but for what is to be refused. */
const storesAll: Transport = {
  send: ({ body = "{}", path }) => {
    const [name = ""] = /(run|refused)-\d+/.exec(path + body) ?? [];
    if (name.startsWith("refused")) return Promise.resolve({ status: 500, text: "{}" });
    const object = JSON.parse(body) as Partial<KubeObject>;
    return Promise.resolve({
      status: 200,
      text: JSON.stringify({ ...object, metadata: { name, namespace: "demo", ...object.metadata } }),
    });
  },
  stream: () => Promise.reject(new Error("not asked for")),
  close: () => Promise.resolve(),
};

const controller: Process = (registry) => {
  const runMetrics = defineRunMetrics(registry);
  const reasonList = Object.values(reasons);
  const settled = new Map<string, () => void>();
  const now = clock.now();
  const working = new Controller(
    { clock, random: { fraction: () => 1 }, metrics: defineKubeMetrics(registry) },
    {
      name: "run",
      reconciler: {
        async reconcile({ name }, signal) {
          const index = Number(/\d+/.exec(name)?.[0]);
          const automation: Automation = anAutomation(
            {},
            { metadata: { name: `fix-${index % 100}`, namespace: "demo" } },
          );
          const run = aRun({}, { name, uid: name });
          const performer = new RunEffects({ client, events: { record: () => undefined }, runMetrics }, run, signal);
          const started = startedStatus(run, { sessions: [{ name: `${name}-0` }], executionBudgetMs: 1 }, now);
          // Each with a verdict of both kinds, however many there are.
          const reason = reasonList[Math.floor(index / 3) % reasonList.length]!;
          const verdict = { succeeded: index % 3 === 0, reason, message: name };
          const ended = endedStatus({ ...run, status: started }, verdict, { outcomes: [], result: undefined, now });
          try {
            await performer.performAll([
              { kind: "createSession", session: makeSession(run, automation, 0) },
              { kind: "writeRun", status: started },
              { kind: "writeRun", status: ended },
            ]);
          } finally {
            settled.get(name)?.();
          }
          return done;
        },
      },
    },
  );
  const client = working.clientOf(new KubeClient({ transport: storesAll, clock }));
  const started = working.start();
  return {
    async go(run) {
      await started;
      const name = `${run % 10 === 9 ? "refused" : "run"}-${run}`;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      settled.set(name, () => resolve(undefined));
      working.enqueue({ namespace: "demo", name });
      await promise;
    },
  };
};

const sandboxes: Process = (registry) => {
  const metrics = defineGatewayMetrics(registry, () => 0);
  const logger = createLogger({ process: "gateway", level: "fatal" });
  const nothing = (): Promise<void> => Promise.resolve();
  const deps = {
    ...{ clock, logger, metrics, restore: () => undefined, session: () => undefined },
    leases: { open: () => Promise.resolve({ markReady: nothing, renew: nothing, markBootFailed: nothing }) },
    bundles: { read: () => Promise.resolve({}) },
    prompts: { settle: () => Promise.resolve("settled"), text: () => Promise.resolve(undefined) },
    openJournal: () => ({ size: 0, storedTo: 9, add: () => undefined, settle: nothing }),
  };
  // What is left out is not asked for.
  const hub = new Hub(deps as unknown as ConnectionDeps);
  return {
    async go(run) {
      const socket = Object.assign(new EventEmitter(), { send: () => undefined, close: () => undefined });
      const uid = `uid-${run}`;
      const session: Session = { ...makeSession(aRun(), anAutomation(), 0), metadata: { name: `s-${run}`, uid } };
      hub.welcome(socket as unknown as WebSocket, { owner: session, attempt: run });
      const prompt = { name: `s-${run}-1`, uid };
      const failure = { phase: "clone", reason: `Reason${run}`, message: `repository ${run}` };
      const event = { kind: "tool", promptUid: uid, tool: `t-${run}`, title: `Title ${run}`, state: `state-${run}` };
      const messages: object[] = [
        { type: "hello", protocol: 1, needsBundle: true, openPrompts: [] },
        { type: "ready", seq: 1 },
        { type: "event", seq: 2, event },
        { type: "bootFailed", seq: 3, failure },
        { type: "promptFinished", seq: 4, outcome: { prompt, verdict: "succeeded", summary: `${run}` } },
        { type: "heartbeat" },
        { type: `unknown-${run}` },
      ];
      for (const message of messages) socket.emit("message", Buffer.from(JSON.stringify(message)), false);
      socket.emit("close");
      await new Promise(setImmediate);
    },
  };
};

/** A request of people, and what is to come of it. */
interface Asked {
  method: string;
  path: string;
  body?: string;
  outcome: { status: number } | { refusal: Error };
}

/** One refusal for each status, and an error that is not meant for callers. */
const refusals = [
  ...new Map(
    Object.entries(statusOf).map(([code, status]) => [status, new ApiError(code as ErrorCode, "no")]),
  ).values(),
  new Error("a mistake"),
].map((refusal) => ({ refusal }));

/** Each route with each of its successes, each refusal and a method that it has not. */
const everythingAsked: Asked[] = [
  ...Object.entries<Operation>(operations).flatMap(([id, { method, path, success }]): Asked[] => {
    const statuses = Object.keys(success).map((status) => ({ status: Number(status) }));
    const route = { method: method.toUpperCase(), path, body: id === "createPrompt" ? '{"text":"Go on."}' : "" };
    return [...statuses, ...refusals].map((outcome) => ({ ...route, outcome }));
  }),
  ...refusals.flatMap((outcome) => [
    { method: "GET", path: "/sessions/{id}/events", outcome },
    { method: "POST", path: "/sessions/{id}/images", outcome },
  ]),
  ...[...Object.values(operations).map(({ path }) => path), "/elsewhere/{id}", "/openapi.json"].map((path) => {
    return { method: "PURGE", path, outcome: { status: 200 } };
  }),
];

const people: Process = (registry) => {
  let asked: Asked;
  let answers = 0;
  const outcome = () => ("status" in asked.outcome ? asked.outcome : undefined);
  const orRefuse = () => ("refusal" in asked.outcome ? Promise.reject(asked.outcome.refusal) : Promise.resolve());
  const handler = () => orRefuse().then(() => ({ status: outcome()?.status, body: {} }));
  const caller = { username: "tools", uid: undefined, groups: [], extra: {} };
  const callers = { identify: () => Promise.resolve(caller), authorize: orRefuse };
  const handlers = Object.fromEntries(Object.keys(operations).map((name) => [name, handler])) as unknown as HandlersOf<
    typeof operations
  >;
  const router = apiRouter({ callers, clock, budgetMs: 1, bodies: new BodyBudget() }, operations, handlers);
  // What is left out is not asked for.
  router.use(eventRoutes({ callers, clock, budgetMs: 1 } as unknown as Parameters<typeof eventRoutes>[0]));
  router.use(imageRoutes({ callers, clock, budgetMs: 1 } as unknown as Parameters<typeof imageRoutes>[0]));
  const { server } = createApiServer({
    router,
    connectionsPerAddress: 256,
    // An agent's server answers whatever it likes.
    tunnels: {
      request: (_path: unknown, _from: unknown, to: ServerResponse) => to.writeHead(100 + ((answers * 7) % 900)).end(),
    } as unknown as Tunnels,
    clock,
    logger: createLogger({ process: "gateway", level: "fatal" }),
    metrics: defineGatewayMetrics(registry, () => 0),
  });
  const send = (url: string) =>
    exchange((request, response) => server.emit("request", request, response), { ...asked, url });
  return {
    async go(run) {
      answers = run;
      asked = everythingAsked[run % everythingAsked.length]!;
      await send(asked.path.replace("{id}", `demo.name-${run}`).replace("{promptId}", `name-${run}`));
      await send(`/sessions/demo.name-${run}/tunnels/${(run % 65_535) + 1}/path-${run}`);
    },
  };
};

describe("however many Runs go by, their names are no labels", () => {
  it.each([
    { name: "ingress", process: ingress, atLeast: 50, atMost: 200 },
    { name: "controller", process: controller, atLeast: 90, atMost: 400 },
    { name: "gateway's sandbox port", process: sandboxes, atLeast: 20, atMost: 200 },
    { name: "gateway's people port", process: people, atLeast: 200, atMost: 500 },
  ])(
    "the $name has as many series after 10,000 as after 1,000, and at most $atMost",
    async ({ process, atLeast, atMost }) => {
      const registry = new Registry();
      const { go } = process(registry);
      for (let run = 0; run < 1_000; run += 1) await go(run);
      const early = await seriesOf(registry);
      for (let run = 1_000; run < runs; run += 1) await go(run);
      expect(await seriesOf(registry)).toBe(early);
      expect(early).toBeGreaterThan(atLeast);
      expect(early).toBeLessThanOrEqual(atMost);
    },
    300_000,
  );
});
