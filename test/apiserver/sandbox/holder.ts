import { gatewayIdentity } from "../../../src/api/runtime/gateway-identity.ts";
import { attemptName } from "../../../src/api/v1alpha1/index.ts";
import { connectHeldUntilMs, sessionDeadlines } from "../../../src/domain/clocks/session-clocks.ts";
import { deadlineAfter } from "../../../src/domain/clocks/deadline.ts";
import { cleanUp, ended, endOf, recordOf, withReports } from "../../../src/controllers/sandbox/decide.ts";
import { foldSaving, volumeToSave } from "../../../src/controllers/sandbox/decide/saving.ts";
import { type AttemptEffect, performAttemptEffect } from "../../../src/controllers/sandbox/effects.ts";
import type { CreatedAttempt } from "../../../src/controllers/sandbox/facts.ts";
import { sandboxInformers } from "../../../src/controllers/sandbox/informers.ts";
import { observeAttempt, observeStart } from "../../../src/controllers/sandbox/observe.ts";
import { GatewayPresence } from "../../../src/controllers/sandbox/observe/gateway-presence.ts";
import { Heartbeats } from "../../../src/controllers/sandbox/observe/heartbeats.ts";
import type { AttemptOwner, AttemptRecord, SavedWorkspace } from "../../../src/controllers/sandbox/owner.ts";
import { attemptOf } from "../../../src/gateway/attempts/attempt.ts";
import { Bundles } from "../../../src/gateway/attempts/bundles.ts";
import { type AttemptLease, AttemptLeases } from "../../../src/gateway/attempts/leases.ts";
import { makeStart } from "../../../src/controllers/sandbox/start/make-start.ts";
import { SkillSetUse } from "../../../src/controllers/sandbox/skills/set-use.ts";
import { TenantNamespaces } from "../../../src/controllers/sandbox/tenant/tenant-namespaces.ts";
import { defineResource, leases } from "../../../src/kube/core-resources.ts";
import type { Informer } from "../../../src/kube/informer.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { keyOf, type KubeObject } from "../../../src/lib/resource.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";
import type { World } from "../session/world.ts";
import { privateNetwork } from "../../support/private-network.ts";

/** A kind that has sandbox attempts and no prompts: it wants one sandbox for as long as it says so. */
export interface Holder extends KubeObject {
  spec: AttemptOwner["spec"] & { wanted: boolean; savesAfterSeconds?: number };
  status?: { sandbox?: AttemptRecord; savedWorkspace?: SavedWorkspace };
}

export const holders = defineResource<Holder>({
  group: "tests.runwright.dev",
  version: "v1",
  kind: "Holder",
  plural: "holders",
  namespaced: true,
});

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** The definition of the kind, as the API server takes it. */
export const holderDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "holders.tests.runwright.dev" },
  spec: {
    group: "tests.runwright.dev",
    scope: "Namespaced",
    names: { kind: "Holder", plural: "holders", singular: "holder", listKind: "HolderList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } },
      },
    ],
  },
};

const minutes = 60_000;
const limits = { bootTimeoutMs: 30 * minutes };
const lifetimeMs = 120 * minutes;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Works for holders with the same parts that the session controller has, one pass at a time. */
export class HolderWorker {
  readonly #world: World;
  readonly #informers: ReturnType<typeof sandboxInformers>;
  readonly #heartbeats: Heartbeats;
  readonly #gateways: GatewayPresence;
  readonly #namespaces: TenantNamespaces;
  #start: CreatedAttempt | undefined;

  private constructor(world: World) {
    const { client, release, sessionsNamespace, clock } = world;
    this.#world = world;
    this.#informers = sandboxInformers(
      { client, clock: systemClock, random: systemRandom },
      { release, sessionsNamespace },
    );
    this.#gateways = new GatewayPresence(clock);
    const { clock: time } = world;
    const deps = { clock: time, gateways: this.#gateways, ownerKind: "Holder", goesOn: () => true };
    this.#heartbeats = new Heartbeats(deps, () => undefined);
    this.#namespaces = new TenantNamespaces({ client, clock, release, gatewayPort: 8443, network: privateNetwork });
  }

  static async start(world: World): Promise<HolderWorker> {
    const worker = new HolderWorker(world);
    const informers = Object.values(worker.#informers) as Informer<KubeObject>[];
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.synced()));
    worker.#informers.leases.onChange((change) => worker.#heartbeats.leaseChanged(change));
    worker.#informers.gatewayLeases.onChange((change) => void worker.#gateways.changed(change));
    worker.#gateways.begin();
    return worker;
  }

  async stop(): Promise<void> {
    this.#heartbeats.stop();
    await Promise.all((Object.values(this.#informers) as Informer<KubeObject>[]).map((informer) => informer.stop()));
  }

  holder(name: string): Promise<Holder> {
    return this.#world.client.get(holders, { namespace: this.#world.namespace, name });
  }

  /** Observes, decides and acts once. */
  async pass(name: string): Promise<Holder> {
    const holder = await this.holder(name);
    const owner = ownerOf(holder);
    const now = this.#world.clock.now();
    const facts = await observeAttempt(this.#deps(), owner, this.#start);
    const { record } = owner;
    if (this.#start) {
      const recorded = await this.#write(holder, { ...holder.status, sandbox: recordOf(this.#start) });
      this.#start = undefined;
      return recorded;
    }
    const isLive = record !== undefined && record.endTime === undefined;
    if (!isLive) {
      for (const effect of cleanUp(facts, record, { isStartToCome: holder.spec.wanted }))
        await this.#perform(owner, effect);
      if (holder.spec.wanted) await this.#begin(owner, (record?.attempt ?? 0) + 1);
      return holder;
    }
    const reported = withReports(facts, record, now);
    const { savesAfterSeconds } = holder.spec;
    const starts =
      savesAfterSeconds === undefined || reported.readyTime === undefined || reported.snapshotTime !== undefined
        ? undefined
        : deadlineAfter(reported.readyTime, savesAfterSeconds * 1_000, "SavingWorkspace");
    const folded = foldSaving(facts, reported, { starts, saved: owner.savedWorkspace }, now);
    const clocks = { sandbox: folded.record, connected: facts.lease !== undefined, lifetimeMs, idleTimeoutMs: 0 };
    const end = endOf(
      facts,
      folded.record,
      {
        limits,
        lifetimeMs,
        deadlines: sessionDeadlines(clocks, limits),
        clockMessages: {},
        isRescued: false,
        savedFor: folded.record.snapshotTime === undefined ? undefined : { reason: "Stopped", message: "it is time" },
        unwanted: holder.spec.wanted ? undefined : { reason: "Stopped", message: "nothing wants it" },
      },
      now,
    );
    const sandbox = end ? ended(folded.record, end, now) : folded.record;
    const volume = volumeToSave(facts, owner, sandbox);
    if (volume !== "look") for (const effect of volume) await this.#perform(owner, effect);
    return this.#write(holder, {
      ...holder.status,
      sandbox,
      ...(folded.saved ? { savedWorkspace: folded.saved } : {}),
    });
  }

  async #begin(owner: AttemptOwner, attempt: number): Promise<void> {
    const { client, sessionsNamespace, release } = this.#world;
    const reading = await observeStart(
      {
        client,
        log: silent,
        namespaces: this.#namespaces,
        github: { apiURLs: [] },
        caBundle: () => "PEM",
        gatewayAddresses: () => Promise.resolve(["10.96.0.9"]),
        hasUserNamespaces: () => false,
      },
      owner,
      () => ({ copied: { lifetimeMs }, bounded: [] }),
    );
    if (reading.kind !== "ready") throw new Error(`no start: ${JSON.stringify(reading)}`);
    const environment = { release, image: "sandbox:1", gatewayUrl: "wss://gateway.invalid:8443" };
    const tunnels = { peopleUrl: "https://gateway.invalid", waitSeconds: 30 };
    const config = { environment, sessionsNamespace, tunnels, ...limits };
    for (const effect of makeStart(config, owner, attempt, reading.ready)) {
      await this.#perform(owner, effect);
    }
  }

  async #perform(owner: AttemptOwner, effect: AttemptEffect): Promise<void> {
    const { client, clock } = this.#world;
    const outcome = await performAttemptEffect(
      { client, clock, namespaces: this.#namespaces, skillSets: new SkillSetUse(clock) },
      owner,
      effect,
    );
    if (outcome?.kind === "created") this.#start = outcome.start;
    else if (outcome) throw new Error(JSON.stringify(outcome));
  }

  #write(holder: Holder, status: NonNullable<Holder["status"]>): Promise<Holder> {
    return this.#world.client.patchStatus(holders, holder, status);
  }

  #deps(): Parameters<typeof observeAttempt>[0] {
    const { client, clock, sessionsNamespace } = this.#world;
    return {
      client,
      clock,
      gateways: {
        reachableMs: () => (connectHeldUntilMs(Infinity, clock.now()) ?? 0) || Infinity,
        outage: () => undefined,
      },
      heartbeats: this.#heartbeats,
      informers: this.#informers,
      sessionsNamespace,
    };
  }

  /** Whether the caches show these versions. */
  hasSeen(...objects: KubeObject[]): boolean {
    const caches = [
      this.#informers.pods,
      this.#informers.leases,
      this.#informers.gatewayLeases,
    ] as Informer<KubeObject>[];
    return objects.every((object) =>
      caches.some((cache) => cache.get(keyOf(object))?.metadata.resourceVersion === object.metadata.resourceVersion),
    );
  }
}

/** A holder as the owner of its attempts. */
export function ownerOf({ metadata, spec, status }: Holder): AttemptOwner {
  const { sandbox: record, savedWorkspace } = status ?? {};
  const skills = { isFixed: true };
  return { resource: holders, metadata, spec, keepsWorkspace: true, skills, record, savedWorkspace };
}

/** What the gateway keeps of an attempt whose runtime is connected to it. */
export function openLease(world: World, holder: Holder, attempt: number): Promise<AttemptLease> {
  const { client, clock, sessionsNamespace: namespace } = world;
  const bundles = new Bundles({ client, namespace });
  const identity = { current: gatewayIdentity("gateway-0", "1") };
  const gateway = new AttemptLeases({
    client,
    bundles,
    clock,
    logger: createLogger({ process: "gateway", level: "silent" }),
    namespace,
    identity,
    goesOn: () => true,
  });
  return gateway.claim(attemptOf(holder, attempt), 1);
}

/** The attempt's Lease as it is stored. */
export function leaseOf(world: World, { metadata }: Holder, attempt: number): Promise<KubeObject> {
  const key = { namespace: world.sessionsNamespace, name: attemptName(metadata.uid ?? "", attempt) };
  return world.client.get(leases, key);
}
