import { testCluster } from "./cluster.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { MovableClock } from "./movable-clock.ts";
import { gatewayConnection, passAlive, startTestGateway, type TestGateway } from "./runtime-gateway.ts";
import { eventually, makeWorld, type World } from "./runtime-world.ts";

/** A gateway replica with a network and a time of its own, which stands still. */
export interface Replica {
  gateway: TestGateway;
  proxy: FaultProxy;
  clock: MovableClock;
  name: string;
  close(): Promise<void>;
}

export async function startReplica(
  world: World,
  name: string,
  options: Pick<NonNullable<Parameters<typeof startTestGateway>[2]>, "blobBudgets"> = {},
): Promise<Replica> {
  const proxy = await startFaultProxy(testCluster());
  const kube = await gatewayConnection(world, proxy);
  const clock = new MovableClock();
  const gateway = await startTestGateway(world, kube.client, { ...options, clock, podName: name });
  await eventually("gateway ready", () => gateway.notReadyBecause() === undefined);
  clock.stop();
  const close = async (): Promise<void> => {
    await gateway.close();
    await kube.close();
    await proxy.close();
  };
  return { gateway, proxy, clock, name, close };
}

/** Two replicas of one release. */
export interface ReplicaPair {
  world: World;
  one: Replica;
  other: Replica;
  /** Ends all faults. */
  heal(): void;
  close(): Promise<void>;
}

export async function openPair(): Promise<ReplicaPair> {
  const world = await makeWorld();
  const [one, other] = await Promise.all([startReplica(world, "one"), startReplica(world, "other")]);
  const heal = (): void => [one, other].forEach(({ proxy }) => proxy.decide(undefined));
  const close = async (): Promise<void> => {
    await Promise.all([one, other].map((replica) => replica.close()));
    await world.close();
  };
  return { world, one, other, heal, close };
}

/** Lets a replica's time pass, with renewals of its own Lease. */
export function pass(world: World, { clock, name }: Replica, ms: number): Promise<void> {
  return passAlive(world, clock, ms, name);
}
