import { EventEmitter } from "node:events";
import { Registry } from "prom-client";
import type { WebSocket } from "ws";

import type { AttemptId } from "../../src/gateway/attempts/attempt.ts";
import { judgeAdmission } from "../../src/gateway/attempts/admission.ts";
import { ArchiveKeeper } from "../../src/gateway/archive/archive-keeper.ts";
import { followOwners } from "../../src/gateway/attempts/owner-view.ts";
import { followSessions } from "../../src/gateway/attempts/session-view.ts";
import { EventUsage } from "../../src/gateway/blobs/event-usage.ts";
import { makeHub } from "../../src/gateway/make-hub.ts";
import { defineGatewayMetrics } from "../../src/gateway/metrics/gateway-metrics.ts";
import { ReplicaIdentity } from "../../src/gateway/replicas/identity.ts";
import { OwnLease } from "../../src/gateway/replicas/own-lease.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import type { Cluster, ProcessParts } from "./cluster.ts";
import type { Channel } from "./network.ts";
import { places, tenant } from "./places.ts";
import type { SimulatedProcess } from "./processes.ts";
import { SimulatedStreams, type StreamEnd } from "./workspace-streams.ts";

const metrics = defineGatewayMetrics(new Registry(), () => 0);
const logger = createLogger({ process: "simulation", level: "silent" });

/** What a runtime hears of its connection. */
export interface RuntimeEnd {
  message(text: string): void;
  closed(code: number): void;
}

/** What a runtime does with its connection. */
export interface RuntimeSocket {
  say(message: object): void;
  /** Dials the stream of this name, of which it is the other end. */
  dial(stream: string, end: StreamEnd): void;
  drop(): void;
}

/** `runwright gateway` without its ports: runtimes are connected to its hub by the simulated network. */
export interface SimulatedGateway extends SimulatedProcess {
  /** Answers an upgrade: with a connection, or with why there is none. */
  connect(target: AttemptId, podUid: string, end: RuntimeEnd): RuntimeSocket | "retry" | "over";
}

export function startGateway(cluster: Cluster, name: string): SimulatedGateway {
  const parts = cluster.newProcess(name);
  const { client, clock, random } = parts;
  const caching = { client, clock, random, log: logger };
  const sessions = followSessions(caching, undefined);
  const owners = followOwners(caching, sessions, undefined);
  const identity = new ReplicaIdentity(name, random);
  const streams = new SimulatedStreams(parts);
  const blobs = cluster.workspaces.seenBy(parts);
  const { hub, saves, leases } = makeHub(
    { client, blobs, clock, random, logger, release: places },
    {
      metrics,
      sessions,
      owners,
      streams: streams.own,
      identity,
      usage: cluster.workspaces.usageOf(blobs),
      eventUsage: new EventUsage({}),
    },
  );
  const ownLease = new OwnLease({
    client,
    clock,
    logger,
    release: places,
    podName: name,
    identity,
    waitingPods: () => [],
    beforeRenewal: () => leases.noteSilence(),
    lapsed: () => {
      leases.drop();
      hub.close("tryAgain");
    },
  });
  owners.onChange((uid) => {
    hub.sessionChanged(uid);
    saves.ownerChanged(uid);
  });
  if (cluster.archive) {
    const archive = new ArchiveKeeper({
      ...caching,
      leaseClient: caching.client,
      store: cluster.archive.seenBy(parts),
      namespaces: [],
      retentionDays: 90,
      release: places,
      identity: `${name}_${random.uuid()}`,
    });
    void archive.run(new AbortController().signal);
  }
  void ownLease.keep(undefined, new AbortController().signal);
  const sockets = new Set<GatewaySocket>();
  return {
    name,
    clock,
    connect(target, podUid, end) {
      if (clock.isDead || clock.isPaused || !ownLease.isLive) return "retry";
      const owner = owners.byUid(target.sessionUid);
      const admission = judgeAdmission(owner, target, { namespace: tenant, podUid });
      if (admission.answer !== "admit") return admission.answer === "retry" ? "retry" : "over";
      const socket = new GatewaySocket(cluster, { parts, streams }, end);
      sockets.add(socket);
      hub.welcome(socket as unknown as WebSocket, { owner: admission.owner, attempt: target.attempt });
      return socket;
    },
    kill() {
      clock.die();
      for (const socket of sockets) socket.reset();
    },
  };
}

/** The gateway's end of a WebSocket, and the runtime's way to it. */
class GatewaySocket extends EventEmitter implements RuntimeSocket {
  readonly OPEN = 1;
  readyState = 1;
  readonly #cluster: Cluster;
  readonly #gateway: ProcessParts;
  readonly #streams: SimulatedStreams;
  readonly #end: RuntimeEnd;
  readonly #toGateway: Channel;
  readonly #toRuntime: Channel;

  constructor(
    cluster: Cluster,
    { parts, streams }: { parts: ProcessParts; streams: SimulatedStreams },
    end: RuntimeEnd,
  ) {
    super();
    this.#cluster = cluster;
    this.#gateway = parts;
    this.#streams = streams;
    this.#end = end;
    this.#toGateway = cluster.network.open();
    this.#toRuntime = cluster.network.open();
  }

  send(text: string, sent: () => void): void {
    // The network takes it at once.
    sent();
    this.#cluster.network.send(this.#toRuntime, () => this.#end.message(text));
  }

  ping(): void {
    this.#cluster.network.send(this.#toRuntime, () => this.#tellGateway(() => this.emit("pong")));
  }

  close(code: number): void {
    if (this.readyState !== this.OPEN) return;
    this.readyState = 2;
    this.#cluster.network.send(this.#toRuntime, () => this.#end.closed(code));
    this.#tellGateway(() => this.#closed());
  }

  terminate(): void {
    this.reset();
    this.#closed();
  }

  say(message: object): void {
    const data = Buffer.from(JSON.stringify(message));
    this.#tellGateway(() => this.emit("message", data, false));
  }

  dial(stream: string, end: StreamEnd): void {
    this.#tellGateway(() => this.#streams.dialed(stream, end));
  }

  drop(): void {
    this.#tellGateway(() => this.#closed());
  }

  /** The runtime finds its connection broken. */
  reset(): void {
    this.#cluster.network.cut(this.#toRuntime);
    this.#cluster.network.send(this.#toRuntime, () => this.#end.closed(1006));
  }

  #tellGateway(run: () => void): void {
    this.#cluster.network.send(this.#toGateway, () => this.#gateway.clock.inTurn(run));
  }

  #closed(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.emit("close");
  }
}
