import { type Bench, clientGo, deliveries, type Deliveries } from "./measure.ts";
import type { Measured } from "./measured.ts";
import { accepted } from "./rounds.ts";
import { median, rounded } from "./statistics.ts";

/** How one Automation's deliveries fare, one at a time, while the other's are sent 64 at a time. */
export interface Flood {
  p50Ms: number;
  p99Ms: number;
  /** What the flood came to meanwhile. */
  floodPerSecond: number;
}

/** `creates` is the baseline: the API server is as busy, and the ingress has nothing else to do. */
export interface Floods {
  alone: Pick<Flood, "p50Ms" | "p99Ms">;
  creates: Flood;
  accepted: Flood;
  overRate: Flood;
}

const inFlight = 64;
const toNeighbour: Deliveries = { ...accepted, targets: "neighbour" };
const floods: Record<Exclude<keyof Floods, "alone">, (bench: Bench) => Promise<Measured>> = {
  creates: (bench) => clientGo(bench, inFlight),
  accepted: (bench) => deliveries(bench, { ...accepted, targets: "flooded" }, inFlight),
  overRate: (bench) =>
    deliveries(bench, { body: "matching", targets: "limited", wantStatus: 429, wantText: "error" }, inFlight),
};

/** Deliveries to one Automation, alone and beside three floods of another. */
export async function measureFloods(bench: Bench, rounds: number): Promise<Floods> {
  const alone: Measured[] = [];
  const beside = { creates: [], accepted: [], overRate: [] } as Record<keyof typeof floods, [Measured, Measured][]>;
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await deliveries(bench, toNeighbour, 1));
    for (const [name, flood] of Object.entries(floods)) {
      const both = await Promise.all([deliveries(bench, toNeighbour, 1), flood(bench)]);
      beside[name as keyof typeof floods].push(both);
    }
  }
  return {
    alone: latencyOf(alone),
    creates: floodOf(beside.creates),
    accepted: floodOf(beside.accepted),
    overRate: floodOf(beside.overRate),
  };
}

function floodOf(rounds: readonly [Measured, Measured][]): Flood {
  const floodPerSecond = rounded(median(rounds.map(([, flood]) => flood.perSecond)));
  return { ...latencyOf(rounds.map(([neighbour]) => neighbour)), floodPerSecond };
}

function latencyOf(rounds: readonly Measured[]): Pick<Flood, "p50Ms" | "p99Ms"> {
  const middle = (of: (one: Measured) => number): number => rounded(median(rounds.map(of)));
  return { p50Ms: middle(({ p50Ms }) => p50Ms), p99Ms: middle(({ p99Ms }) => p99Ms) };
}
