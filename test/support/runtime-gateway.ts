import { readFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { Registry } from "prom-client";

import { gatewayLeaseName } from "../../src/api/runtime/pod-contract.ts";
import { type GatewayDeps, type RunningGateway, startGateway } from "../../src/gateway/start-gateway.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { testCluster } from "./cluster.ts";
import { openDirectoryStore } from "./directory-store.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { clientOf, type Connection } from "./kube.ts";
import type { MovableClock } from "./movable-clock.ts";
import { grantProcess, processClient } from "./process-accounts.ts";
import { eventually, find, makeWorld, type World } from "./runtime-world.ts";

export interface TestGateway extends RunningGateway {
  registry: Registry;
  /** Every log line so far. */
  logs: string[];
  /** `wss://localhost:PORT`. */
  sandboxUrl: string;
  /** `https://localhost:PORT`. */
  peopleUrl: string;
}

const gatewayUsers = new WeakMap<World, Promise<string>>();

/** The user name of the account of a world's gateways. */
export function gatewayUser(world: World): Promise<string> {
  const user = gatewayUsers.get(world) ?? grantGateway(world);
  gatewayUsers.set(world, user);
  return user;
}

async function grantGateway({ release }: World): Promise<string> {
  const admin = clientOf({ file: testCluster().kubeconfig });
  try {
    return await grantProcess(admin.client, "gateway", release);
  } finally {
    await admin.close();
  }
}

/** A client of a world's gateways, through the proxy where there is one. */
export async function gatewayConnection(world: World, proxy?: Pick<FaultProxy, "kubeconfig">): Promise<Connection> {
  const kubeconfig = proxy?.kubeconfig() ?? (await readFile(testCluster().kubeconfig, "utf8"));
  return processClient("gateway", kubeconfig, await gatewayUser(world));
}

/** A gateway inside the test's own process; the client is one of {@link gatewayConnection}. */
export async function startTestGateway(
  world: World,
  client: KubeClient,
  {
    blobs,
    ...options
  }: Partial<
    Pick<
      GatewayDeps,
      "patience" | "archive" | "blobs" | "blobBudgets" | "clock" | "podIp" | "podName" | "github" | "generatedMedia"
    >
  > = {},
): Promise<TestGateway> {
  const logs: string[] = [];
  const registry = new Registry();
  const gateway = await startGateway({
    client,
    blobs: blobs ?? (await openDirectoryStore(world.blobDirectory)),
    clock: systemClock,
    random: systemRandom,
    logger: createLogger({ process: "gateway", level: "debug" }, { write: (line) => void logs.push(line) }),
    registry,
    release: world.release,
    podName: "gateway-a",
    github: { apiURLs: [] },
    tunnelRequestHeaders: ["x-mine"],
    blobBudgets: {},
    limits: { connectionsPerAddress: 256, streamsPerNamespace: 512, peopleConnectionsPerAddress: 1_024 },
    ...options,
    sandboxPort: 0,
    peoplePort: 0,
    deliveryBaseUrl: "https://hooks.example.com",
  });
  return {
    ...gateway,
    registry,
    logs,
    sandboxUrl: `wss://localhost:${gateway.ports.sandbox}`,
    peopleUrl: `https://localhost:${gateway.ports.people}`,
  };
}

/** Lets a gateway's time pass, each 5 s of it with a renewal of its own Lease, so that it is not taken for stopped. */
export async function passAlive(world: World, clock: MovableClock, ms: number, podName = "gateway-a"): Promise<void> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${world.release.namespace}/leases/${gatewayLeaseName(podName)}`;
  const renewed = async (): Promise<unknown> => (await find(path))?.spec.renewTime;
  for (let passedMs = 0; passedMs < ms; passedMs += 5_000) {
    const before = await renewed();
    clock.move(Math.min(5_000, ms - passedMs));
    await eventually("the gateway's own Lease is renewed", async () => (await renewed()) !== before);
  }
}

/** A world with a gateway that is ready. */
export interface GatewayWorld {
  world: World;
  gateway: TestGateway;
  /** The test's own. */
  client: KubeClient;
  /** The gateway's. */
  connection: Connection;
  close(): Promise<void>;
}

export async function openGatewayWorld(options: Parameters<typeof startTestGateway>[2] = {}): Promise<GatewayWorld> {
  const world = await makeWorld();
  const kube = clientOf({ file: testCluster().kubeconfig });
  const connection = await gatewayConnection(world);
  const gateway = await startTestGateway(world, connection.client, options);
  await eventually("the gateway is ready", () => gateway.notReadyBecause() === undefined || undefined);
  return {
    world,
    gateway,
    client: kube.client,
    connection,
    async close() {
      await gateway.close();
      await connection.close();
      await kube.close();
      await world.close();
    },
  };
}

/** A TCP relay whose connections a test can cut, and whose far end it can move. */
export interface Relay {
  readonly port: number;
  /** Connections that are open. */
  open(): number;
  /** Connections that were ever made. */
  made(): number;
  pointTo(port: number): void;
  cut(): void;
  close(): Promise<void>;
}

export async function startRelay(target: number): Promise<Relay> {
  let port = target;
  let made = 0;
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((near) => {
    made += 1;
    const far = connect(port, "127.0.0.1");
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
    const drop = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on("error", drop).on("close", drop);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const [near] of pairs) near.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    open: () => pairs.size,
    made: () => made,
    pointTo: (next) => (port = next),
    cut,
    async close() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
