import { failuresOf, type Measured } from "../measured.ts";
import { median, rounded, spread, type Spread } from "../statistics.ts";

/** One contender's round with Runs that go by under the controller. */
export interface Lived {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the controller, for each Run. */
  cpuMs: number;
  apiServerCpuMs: number;
  /** For each Run, all controllers together and one by one. */
  reconciles: number;
  reconcilesBy: Readonly<Record<string, number>>;
  /** What the API server counted for each Run, everybody's writes together, such as `POST sessions`. */
  writes: Readonly<Record<string, number>>;
  /** What went wrong with the stood-in kubelet and gateway. */
  failures: ReadonlyMap<string, number>;
}

export interface Played {
  controller: Lived;
  replay: Measured;
}

/** Medians over the rounds; `ratio` is the median of the rounds' ratios. */
export interface Throughput {
  runsPerSecond: number;
  baselinePerSecond: number;
  ratio: number;
  runsPerSecondSpread: Spread;
  ratioSpread: Spread;
  p50Ms: number;
  p99Ms: number;
  cpuMs: number;
  apiServerCpuMs: number;
  baselineCpuMs: number;
  reconcilesEachRun: number;
  reconcilesBy: Record<string, number>;
  /** Creates, updates, patches and deletes, without Events, reviews, and what no Run causes. */
  writesEachRun: number;
  eventsEachRun: number;
  writesBy: Record<string, number>;
  failures: number;
}

export function throughputOf(rounds: readonly Played[]): Throughput {
  const middle = (of: (round: Played) => number): number => rounded(median(rounds.map(of)));
  const extent = (of: (round: Played) => number): Spread => {
    const { min, max } = spread(rounds.map(of));
    return { min: rounded(min), max: rounded(max) };
  };
  const perSecond = ({ controller }: Played): number => controller.perSecond;
  const ratio = ({ controller, replay }: Played): number => controller.perSecond / replay.perSecond;
  const writes = mediansOf(rounds.map(({ controller }) => controller.writes));
  return {
    runsPerSecond: middle(perSecond),
    baselinePerSecond: middle(({ replay }) => replay.perSecond),
    ratio: middle(ratio),
    runsPerSecondSpread: extent(perSecond),
    ratioSpread: extent(ratio),
    p50Ms: middle(({ controller }) => controller.p50Ms),
    p99Ms: middle(({ controller }) => controller.p99Ms),
    cpuMs: middle(({ controller }) => controller.cpuMs),
    apiServerCpuMs: middle(({ controller }) => controller.apiServerCpuMs),
    baselineCpuMs: middle(({ replay }) => replay.cpuMs),
    reconcilesEachRun: middle(({ controller }) => controller.reconciles),
    reconcilesBy: mediansOf(rounds.map(({ controller }) => controller.reconcilesBy)),
    writesEachRun: rounded(sumOf(writes, isOfARun)),
    eventsEachRun: rounded(sumOf(writes, isEvent)),
    writesBy: writes,
    failures: rounds.reduce(
      (sum, { controller, replay }) => sum + countOf(controller.failures) + failuresOf(replay),
      0,
    ),
  };
}

/** Per counter of any round the median over all of them, those below a hundredth left out. */
function mediansOf(rounds: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = [...new Set(rounds.flatMap((round) => Object.keys(round)))].toSorted();
  const middles = names.map((name) => [name, rounded(median(rounds.map((round) => round[name] ?? 0)))] as const);
  return Object.fromEntries(middles.filter(([, value]) => value >= 0.01));
}

function sumOf(counts: Readonly<Record<string, number>>, isCounted: (what: string) => boolean): number {
  return Object.entries(counts).reduce((sum, [what, count]) => sum + (isCounted(what) ? count : 0), 0);
}

function isEvent(what: string): boolean {
  return / events(?:\/|$)/.test(what);
}

/**
 * Whether a Run causes this write of ours: a session's Lease is created and never only renewed, and deleted by the
 * garbage collector; a pod's status is the kubelet's.
 */
function isOfARun(what: string): boolean {
  if (isEvent(what) || what.endsWith("reviews") || what === "PATCH pods/status") return false;
  return !what.endsWith(" leases") || what === "POST leases";
}

function countOf(failures: ReadonlyMap<string, number>): number {
  return [...failures.values()].reduce((sum, count) => sum + count, 0);
}
