import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { progressOnStderr } from "../../../hack/lib/progress.ts";
import { ensureHealth } from "../../../hack/toolchain/health.ts";
import {
  Automation,
  Environment,
  kinds,
  Prompt,
  Repository,
  Run,
  SandboxClass,
  Session,
} from "../../../src/api/v1alpha1/index.ts";
import { scopeControllers } from "../../../src/controllers/repository/controller.ts";
import { integrationInformers, kindInformers } from "../../../src/controllers/kind-informers.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { testCluster } from "../../support/cluster.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import { conditionOf, World } from "../run/world.ts";
import { World as SessionWorld } from "../session/world.ts";
import { checkedKinds, judge, type Verdicts } from "./judge.ts";
import { privateNetwork } from "../../support/private-network.ts";

const waiting: Verdicts = ["InProgress", "Progressing", "InProgress"];
const well: Verdicts = ["Current", "Healthy", "Current"];
const failed: Verdicts = ["Failed", "Degraded", "Failed"];
const paused: Verdicts = ["Current", "Suspended", "Current"];
const goingAway: Verdicts = ["Terminating", "Progressing", "InProgress"];

const holding = { finalizers: ["example.com/hold"] };

beforeAll(() => ensureHealth(progressOnStderr("health")), 900_000);

/** Kinds that are in no folder of Git: they record what happened. */
const records = ["DeliveryLog", "IntegrationEvent", "Conversation", "PullRequest"];

it("has a check for every kind that people write", async () => {
  const withStatus = kinds.filter(({ kind }) => !records.includes(kind)).map(({ kind }) => kind);
  expect(await checkedKinds()).toEqual({ argoCD: withStatus.sort(), flux: withStatus.sort() });
});

describe("with the controllers of Automations and Runs", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.make(testCluster().kubeconfig);
  });
  afterEach(() => world.close());

  const keyed = (name: string): object => ({ trigger: { type: "Webhook", webhook: { keyHashSecretRef: { name } } } });

  async function untilReady(name: string, reason: string): Promise<Automation> {
    await world.until(`${name} is ${reason}`, async () => {
      return conditionOf(await world.automation(name), "Ready")?.reason === reason;
    });
    return world.automation(name);
  }

  it("sees an Automation in each of its states", async () => {
    const fresh = await world.createAutomation("fresh");
    const operator = await world.startOperator();
    const ready = await untilReady("fresh", "Ready");

    await world.createAutomation("keyless", keyed("nowhere"));
    const secretless = await untilReady("keyless", "SecretNotFound");
    const data = { sha256: Buffer.from("no hash").toString("base64") };
    await world.client.create(secrets, { metadata: { name: "bad", namespace: world.namespace }, data });
    await world.createAutomation("stalled", keyed("bad"));
    const stalled = await untilReady("stalled", "KeyInvalid");

    await world.createAutomation("suspended", { suspend: true });
    const suspended = await untilReady("suspended", "Ready");

    const key = { namespace: world.namespace, name: "fresh" };
    await operator.stop();
    const changed = await world.client.patch<Automation>(Automation, key, { spec: { instructions: "Other." } });
    await world.client.patch(Automation, key, { metadata: holding });
    await world.client.delete(Automation, key);
    const deleted = await world.automation("fresh");
    await world.client.patch(Automation, key, { metadata: { finalizers: null } });

    const objects = [fresh, ready, secretless, stalled, suspended, changed, deleted];
    expect(await judge(objects)).toEqual([waiting, well, waiting, failed, paused, waiting, goingAway]);
  });

  it("sees an Automation that failures paused", async () => {
    const automation = await world.createAutomation("triage");
    await world.startOperator();
    for (let failures = 1; failures <= 3; failures += 1) {
      const { metadata } = await world.createDelivery(automation);
      await world.untilPrompt(metadata.name!);
      await world.settlePrompt(`${metadata.name!}-0-1`, false, "Failed");
      await world.untilRun(metadata.name!, "Failed");
    }
    await world.until("it is paused", async () => {
      return conditionOf(await world.automation("triage"), "Paused")?.reason === "TooManyFailures";
    });
    expect(await judge([await untilReady("triage", "Ready")])).toEqual([paused]);
  });

  it("sees a Run and its Prompt in each of their states", async () => {
    const automation = await world.createAutomation("triage");
    const pending = await world.createDelivery(automation);
    const name = pending.metadata.name!;
    await world.startOperator();
    const freshPrompt = await world.untilPrompt(name);
    const running = await world.untilRun(name, "Running");
    await world.settlePrompt(`${name}-0-1`, true, "Completed");
    const completed = await world.untilRun(name, "Completed");
    const completedPrompt = (await world.findPrompt(`${name}-0-1`))!;

    const second = (await world.createDelivery(automation)).metadata.name!;
    await world.untilPrompt(second);
    await world.settlePrompt(`${second}-0-1`, false, "Failed");
    const ended = await world.untilRun(second, "Failed");

    await world.client.patch(Automation, { namespace: world.namespace, name: "triage" }, { spec: { suspend: true } });
    const third = (await world.createDelivery(automation)).metadata.name!;
    const skipped = await world.untilRun(third, "Skipped");

    const objects = [pending, freshPrompt, running, completed, completedPrompt, ended, skipped];
    expect(await judge(objects)).toEqual([waiting, waiting, waiting, well, well, failed, failed]);
    expect(new Set(objects.map(({ kind }) => kind))).toEqual(new Set([Run.kind, Prompt.kind]));
  });
});

describe("with the controllers of what sessions refer to", () => {
  it("sees Repository, Environment and SandboxClass fresh, waiting for something, and ready", async () => {
    // What a Repository shows also depends on the default class, of which a cluster has one.
    const plane = await startEquippedControlPlane();
    const world = await World.make(plane.kubeconfig);
    const { client, namespace } = world;
    const metadata = { name: namespace, namespace };
    const url = "https://git.example.com/a.git";
    const repository = { metadata, spec: { url, credentialSecretRef: { name: "git" } } };
    const fresh = [
      await client.create(Repository, repository as Repository),
      await client.create(Environment, { metadata, spec: { repositoryRefs: [{ name: namespace }] } }),
      await client.create(SandboxClass, { metadata: { name: namespace }, spec: {} } as SandboxClass),
    ];
    const controllerClient = world.operatorClient;
    const caching = { client: controllerClient, clock: systemClock, random: systemRandom };
    const informers = { ...kindInformers(caching, { namespace }), ...integrationInformers(caching, { namespace }) };
    const metrics = { reconciled: () => undefined, queueWaited: () => undefined, wrote: () => undefined };
    const events = { record: () => undefined };
    const controllers = scopeControllers({
      network: privateNetwork,
      client: controllerClient,
      clock: world.clock,
      random: systemRandom,
      informers,
      events,
      metrics,
      github: { apiURLs: [] },
      operator: { settings: { maxTotalChildSessions: 3 } },
    });
    const { repositories, environments, sandboxClasses, skills, integrations } = informers;
    const followed = [repositories, environments, sandboxClasses, skills, integrations];
    for (const informer of followed) informer.start();
    await Promise.all(controllers.map((controller) => controller.start()));

    const ready = async (kind: typeof Repository | typeof Environment | typeof SandboxClass, status: string) => {
      const key = kind === SandboxClass ? { name: namespace } : { namespace, name: namespace };
      const find = () => client.get<Repository>(kind as typeof Repository, key);
      await world.until(
        `${kind.kind} is ready: ${status}`,
        async () => {
          return conditionOf(await find(), "Ready")?.status === status;
        },
        1_000,
      );
      return find();
    };
    const secretless = await ready(Repository, "False");
    const data = { username: "Z2l0", password: "Z2l0" };
    expect(secretless.status).toMatchObject({ settings: { maxTotalChildSessions: 3, maxConcurrentChildSessions: 3 } });
    await client.create(secrets, { metadata: { name: "git", namespace }, type: "kubernetes.io/basic-auth", data });
    const all = [await ready(Repository, "True"), await ready(Environment, "True"), await ready(SandboxClass, "True")];
    expect(await judge([...fresh, secretless, ...all])).toEqual([waiting, waiting, waiting, waiting, well, well, well]);
    await Promise.all(controllers.map((controller) => controller.stop(0)));
    await Promise.all(followed.map((informer) => informer.stop()));
    await world.close();
    await plane.stop();
  });
});

describe("with the controller of sessions", () => {
  it("sees a Session that waits, works, and cannot start", async () => {
    const world = await SessionWorld.make(testCluster().kubeconfig);
    const fresh = await world.createSession("fix", { idleTimeoutSeconds: 600 });
    await world.startOperator();
    const starting = await world.untilSession("fix", "starting", ({ sandbox }) => sandbox !== undefined);
    await world.bringUp(starting);
    const idle = await world.untilSession(
      "fix",
      "idle",
      (status) => conditionOf({ status }, "Ready")?.status === "True",
    );
    await world.createSession("stuck", { idleTimeoutSeconds: 600, sandboxClassName: "nowhere" });
    const stuck = await world.untilSession(
      "stuck",
      "refused",
      (status) => conditionOf({ status }, "Stalled") !== undefined,
    );
    expect(await judge([fresh, starting, idle, stuck])).toEqual([waiting, waiting, well, failed]);
    expect(fresh.kind).toBe(Session.kind);
    await world.close();
  });
});
