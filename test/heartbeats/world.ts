import { setImmediate } from "node:timers/promises";

import { protocolTimes } from "../../src/api/runtime/limits.ts";
import { labels } from "../../src/api/v1alpha1/names.ts";
import { GatewayPresence } from "../../src/controllers/sandbox/observe/gateway-presence.ts";
import { Heartbeats } from "../../src/controllers/sandbox/observe/heartbeats.ts";
import { type AttemptLease, AttemptLeases } from "../../src/gateway/attempts/leases.ts";
import { ReplicaIdentity } from "../../src/gateway/replicas/identity.ts";
import { OwnLease } from "../../src/gateway/replicas/own-lease.ts";
import type { Change } from "../../src/kube/cache.ts";
import type { Lease } from "../../src/kube/core-resources.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { LeaseStore } from "./lease-store.ts";
import { ProcessClock } from "./process.ts";

/** The Lease of the one session. */
export const sessionLease = "u1-1";
const ownLabels = { [labels.sessionUid]: "u1", [labels.sessionNamespace]: "team", [labels.sessionName]: "fix" };
const attempt = { sessionUid: "u1", namespace: "team", session: "fix", attempt: 1, name: sessionLease };
const logger = createLogger({ process: "gateway", level: "silent" });
/** Time passes in steps of this. */
const stepMs = 250;

/** A gateway process with its parts that keep Leases; in the place of its WebSockets there are calls. */
export class Gateway {
  readonly clock: ProcessClock;
  /** Cut off from the API server. */
  isCutOff = false;
  /** Leases that the API server refuses to write. */
  refuses: (name: string) => boolean = () => false;
  /** The API server's answers to creations of the session's Lease are lost. */
  losesAnswers = false;
  readonly podName: string;
  readonly #own: OwnLease;
  readonly #leases: AttemptLeases;
  readonly #stop = new AbortController();
  #connection: { lease: AttemptLease; closed: () => void } | undefined;

  constructor(world: World, podName: string, skewMs: number) {
    this.podName = podName;
    this.clock = new ProcessClock(() => world.nowMs, skewMs);
    const client = world.store.client(
      podName,
      (name) => this.isCutOff || world.isApiAway || this.refuses(name),
      (name) => this.losesAnswers && name === sessionLease,
    );
    const identity = new ReplicaIdentity(podName, systemRandom);
    const common = { client, clock: this.clock, logger };
    this.#leases = new AttemptLeases({
      ...common,
      identity,
      namespace: "sessions",
      goesOn: () => true,
      bundles: {
        secret: () => Promise.resolve({ metadata: { name: sessionLease, uid: "secret", labels: ownLabels } }),
      },
    });
    this.#own = new OwnLease({
      ...common,
      identity,
      podName,
      release: { name: "rw", namespace: "system" },
      waitingPods: () => [],
      beforeRenewal: () => this.#leases.noteSilence(),
      lapsed: () => {
        this.#leases.drop();
        this.#connection?.closed();
        this.#connection = undefined;
      },
    });
    void this.#own.keep(undefined, this.#stop.signal);
  }

  /** Whether runtimes are let in. */
  get isLive(): boolean {
    return this.#own.isLive;
  }

  /** Whether the runtime is welcomed. */
  async connect(connection: number, closed: () => void): Promise<boolean> {
    try {
      const lease = await this.#leases.claim(attempt, connection, { mayWait: connection === 1 });
      this.#connection = { lease, closed };
      return true;
    } catch {
      return false;
    }
  }

  beat(): void {
    this.#connection?.lease.beat().catch(() => this.#connection?.closed());
  }

  /** The runtime reports the end of its boot; says whether that is stored. */
  ready(): Promise<boolean> {
    const stored = this.#connection?.lease.markReady() ?? Promise.reject(new Error("not connected"));
    return stored.then(
      () => true,
      () => false,
    );
  }

  kill(): void {
    this.#stop.abort();
    this.#connection?.closed();
    this.clock.isStopped = true;
  }
}

/** The runtime: it beats, and connects again a while after it was disconnected, to any replica that lets it in. */
class Runtime {
  readonly clock: ProcessClock;
  /** Replicas that it cannot reach. */
  readonly unreachable = new Set<Gateway>();
  lastBeatMs = 0;
  readonly #world: World;
  #connections = 0;
  #gateway: Gateway | undefined;
  #quietMs = 0;

  constructor(world: World) {
    this.#world = world;
    this.clock = new ProcessClock(() => world.nowMs, 0);
    this.#beat();
  }

  get gateway(): Gateway | undefined {
    return this.#gateway;
  }

  #reaches(gateway: Gateway): boolean {
    return !this.unreachable.has(gateway) && !gateway.clock.isStopped;
  }

  #beat(): void {
    this.clock.setTimeout(() => this.#beat(), protocolTimes.heartbeatMs);
    if (!this.#gateway || !this.#reaches(this.#gateway)) return;
    this.lastBeatMs = this.#world.nowMs;
    this.#gateway.beat();
  }

  /** Each second: notices a replica that has gone quiet, and connects where it is not connected. */
  async look(): Promise<void> {
    if (this.clock.isStopped) return;
    const gateway = this.#gateway;
    this.#quietMs = gateway && this.#reaches(gateway) ? 0 : this.#quietMs + stepMs;
    if (gateway && this.#quietMs < protocolTimes.pingMs + protocolTimes.pongMs) return;
    this.#gateway = undefined;
    if (this.#quietMs % protocolTimes.reconnectMs !== 0) return;
    for (const replica of this.#world.gateways.filter((one) => one.isLive && this.#reaches(one))) {
      this.#connections += 1;
      const number = this.#connections;
      const isIn = await replica.connect(number, () => {
        if (this.#connections === number) this.#gateway = undefined;
      });
      if (!isIn) continue;
      this.#gateway = replica;
      this.lastBeatMs = this.#world.nowMs;
      return;
    }
  }
}

/** The controller's part: when it would end the sandbox. */
class Controller {
  readonly clock: ProcessClock;
  endedMs: number | undefined;
  readonly #gateways: GatewayPresence;
  readonly #heartbeats: Heartbeats;

  constructor(world: World, skewMs: number) {
    this.clock = new ProcessClock(() => world.nowMs, skewMs);
    this.#gateways = new GatewayPresence(this.clock);
    const deps = { clock: this.clock, gateways: this.#gateways, ownerKind: "Session", goesOn: () => true };
    this.#heartbeats = new Heartbeats(deps, () => (this.endedMs ??= world.nowMs));
    for (const object of world.store.list()) this.#see({ type: "added", object });
    this.#gateways.begin();
    world.store.watch((change) => this.#see(change));
  }

  stop(): void {
    this.clock.isStopped = true;
    this.#heartbeats.stop();
  }

  #see(change: Change<Lease>): void {
    if (this.clock.isStopped) return;
    if (change.object.metadata.name === sessionLease) this.#heartbeats.leaseChanged(change);
    else if (this.#gateways.changed(change) === "back") this.#heartbeats.restart();
  }
}

/** Two gateways, a controller and the runtime of one sandbox on one simulated time; their clocks are hours apart. */
export class World {
  nowMs = 0;
  isApiAway = false;
  readonly store = new LeaseStore(() => this.nowMs);
  readonly gateways: Gateway[] = [];
  readonly runtime: Runtime;
  controller: Controller;
  readonly #past: Controller[] = [];

  constructor() {
    this.start("gateway-1");
    this.start("gateway-2", 7_200_000);
    this.controller = new Controller(this, 86_400_000);
    this.runtime = new Runtime(this);
  }

  /** With a connected runtime; the controller has seen both gateways for a while. */
  static async make(): Promise<World> {
    const world = new World();
    await world.pass(60_000);
    return world;
  }

  /** With a runtime that has just connected for the first time. */
  static async connecting(): Promise<World> {
    const world = new World();
    while (!world.runtime.gateway) await world.pass(stepMs);
    return world;
  }

  /** The replica that the runtime is connected to, and another one. */
  get pair(): [Gateway, Gateway] {
    const own = this.runtime.gateway!;
    return [own, this.gateways.find((one) => one !== own)!];
  }

  /** When the sandbox was ended; undefined: it was not. */
  get endedMs(): number | undefined {
    return this.#past.map(({ endedMs }) => endedMs).find((atMs) => atMs !== undefined) ?? this.controller.endedMs;
  }

  start(podName: string, skewMs = -3_600_000): Gateway {
    const gateway = new Gateway(this, podName, skewMs);
    this.gateways.push(gateway);
    return gateway;
  }

  kill(gateway: Gateway): void {
    gateway.kill();
    this.gateways.splice(this.gateways.indexOf(gateway), 1);
  }

  restartController(): void {
    this.controller.stop();
    this.#past.push(this.controller);
    this.controller = new Controller(this, 43_200_000);
  }

  async pass(ms: number): Promise<void> {
    for (const untilMs = this.nowMs + ms; this.nowMs < untilMs; this.nowMs += stepMs) {
      await this.runtime.look();
      for (const { clock } of [this.runtime, ...this.gateways, this.controller]) {
        clock.tick();
        await setImmediate();
      }
    }
  }

  /** Until the sandbox is ended; how long after the runtime's last heartbeat that was, in milliseconds. */
  async silenceAtEnd(): Promise<number> {
    while (this.endedMs === undefined) {
      if (this.nowMs > 3_600_000) throw new Error("it was never ended");
      await this.pass(stepMs);
    }
    return this.endedMs - this.runtime.lastBeatMs;
  }

  /** Writes of the session's Lease since then. */
  writesSince(atMs: number): string[] {
    return this.store.writes
      .filter(({ name, atMs: when }) => name === sessionLease && when >= atMs)
      .map(({ by }) => by);
  }
}
