import type { Progress } from "../hack/lib/progress.ts";
import { type Bench, clientGo, deliveries, type Deliveries, nodePool, senderCeiling } from "./measure.ts";
import { failuresOf, type Measured } from "./measured.ts";
import { median, orderOf, rounded, spread, type Spread } from "./statistics.ts";

/** One line of the intake's table; medians over the rounds, the ratio being the median of the rounds' ratios. */
export interface Intake {
  inFlight: number;
  perSecond: number;
  baselinePerSecond: number;
  ratio: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the ingress, for each delivery. */
  cpuMs: number;
  nodePoolPerSecond: number;
  /** Of the bare Node pool, for each create: what Node needs on this machine whatever is built on it. */
  nodePoolCpuMs: number;
  /** Deliveries of all rounds that were answered otherwise, such as 503; no rate counts them. */
  failures: number;
  perSecondSpread: Spread;
  ratioSpread: Spread;
}

/** Deliveries that make no Run. */
export interface Answered {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMs: number;
  failures: number;
  baselinePerSecond?: number;
  ratio?: number;
}

const levels = [1, 16, 64];
export const accepted: Deliveries = {
  body: "matching",
  targets: "targets",
  wantStatus: 200,
  wantText: '"triggered":1',
};
export const kinds = {
  rejected: { body: "matching", targets: "wrongKeys", wantStatus: 401, wantText: "error" },
  filtered: { body: "filtered", targets: "targets", wantStatus: 200, wantText: '"triggered":0,"skipped":0' },
  duplicates: { body: "keyed", targets: "targets", wantStatus: 200, wantText: '"skipped":1' },
} as const satisfies Record<string, Deliveries>;

type Contender = "product" | "clientGo" | "nodePool";
type Round = Record<Contender, Measured>;

/** Accepted deliveries beside raw creates, at each number in flight. */
export async function measureIntake(bench: Bench, rounds: number, progress: Progress): Promise<Intake[]> {
  const measured: Intake[] = [];
  for (const inFlight of levels) {
    const done: Round[] = [];
    for (let round = 0; round < rounds; round += 1) done.push(await playRound(bench, inFlight, round));
    const line = intakeOf(inFlight, done);
    progress(`${inFlight} in flight: ${line.perSecond}/s, ${line.ratio} x client-go, ${line.cpuMs} ms CPU`);
    measured.push(line);
  }
  return measured;
}

const contenders: Record<Contender, (bench: Bench, inFlight: number) => Promise<Measured>> = {
  product: (bench, inFlight) => deliveries(bench, accepted, inFlight),
  clientGo,
  nodePool,
};

async function playRound(bench: Bench, inFlight: number, round: number): Promise<Round> {
  const results: Partial<Round> = {};
  for (const name of orderOf<Contender>(["clientGo", "product", "nodePool"], round)) {
    results[name] = await contenders[name](bench, inFlight);
  }
  // Every contender had its turn.
  return results as Round;
}

function intakeOf(inFlight: number, rounds: readonly Round[]): Intake {
  const middle = (of: (round: Round) => number): number => rounded(median(rounds.map(of)));
  const extent = (of: (round: Round) => number): Spread => {
    const { min, max } = spread(rounds.map(of));
    return { min: rounded(min), max: rounded(max) };
  };
  const ratio = ({ product, clientGo: raw }: Round): number => product.perSecond / raw.perSecond;
  return {
    inFlight,
    perSecond: middle(({ product }) => product.perSecond),
    baselinePerSecond: middle(({ clientGo: raw }) => raw.perSecond),
    ratio: middle(ratio),
    p50Ms: middle(({ product }) => product.p50Ms),
    p99Ms: middle(({ product }) => product.p99Ms),
    cpuMs: middle(({ product }) => product.cpuMs),
    nodePoolPerSecond: middle(({ nodePool: pool }) => pool.perSecond),
    nodePoolCpuMs: middle(({ nodePool: pool }) => pool.cpuMs),
    failures: rounds.reduce((sum, { product }) => sum + failuresOf(product), 0),
    perSecondSpread: extent(({ product }) => product.perSecond),
    ratioSpread: extent(ratio),
  };
}

const answeredInFlight = 64;

/** Deliveries that are refused or match nothing: answers of the ingress alone. */
export async function measureAnswered(bench: Bench, kind: "rejected" | "filtered", rounds: number): Promise<Answered> {
  const done: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) done.push(await deliveries(bench, kinds[kind], answeredInFlight));
  return answeredOf(done);
}

/** Repeated deliveries beside the API server's own rate of saying that a name is taken. */
export async function measureDuplicates(bench: Bench, rounds: number): Promise<Answered> {
  // Makes the Runs that the others are duplicates of; what is triggered here is not measured.
  await deliveries({ ...bench, seconds: 1 }, { ...kinds.duplicates, wantText: "" }, answeredInFlight);
  const done: Measured[] = [];
  const raw: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await clientGo(bench, answeredInFlight, true));
    done.push(await deliveries(bench, kinds.duplicates, answeredInFlight));
  }
  const ratios = done.map(({ perSecond }, round) => perSecond / (raw[round]?.perSecond ?? NaN));
  return {
    ...answeredOf(done),
    baselinePerSecond: rounded(median(raw.map(({ perSecond }) => perSecond))),
    ratio: rounded(median(ratios)),
  };
}

/** The sender's own limit, to be far above what is measured with it. */
export async function measureSender(bench: Bench): Promise<Answered> {
  return answeredOf([await senderCeiling(bench, answeredInFlight)]);
}

function answeredOf(rounds: readonly Measured[]): Answered {
  const middle = (of: (round: Measured) => number): number => rounded(median(rounds.map(of)));
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    cpuMs: middle(({ cpuMs }) => cpuMs),
    failures: rounds.reduce((sum, round) => sum + failuresOf(round), 0),
  };
}
