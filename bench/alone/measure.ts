import type { Progress } from "../../hack/lib/progress.ts";
import type { IngressProcess } from "../ingress.ts";
import type { Deliveries } from "../measure.ts";
import { accepted, kinds } from "../rounds.ts";
import { median, orderOf, rounded, spread, type Spread } from "../statistics.ts";
import type { Files } from "../world.ts";
import { sendDeliveries } from "./sender.ts";

/** This tree's ingress, and perhaps another one. */
export interface Contender {
  name: "product" | "beside";
  ingress: IngressProcess;
}

export interface Rounds {
  deliveries: number;
  rounds: number;
  files: Files;
  progress: Progress;
}

/** Of each delivery, the ingress's user and system CPU in milliseconds: median, lowest and highest of the rounds. */
interface Cost {
  cpuMs: number;
  cpuMsSpread: Spread;
  perSecond: number;
}

const measuredKinds = { accepted, filtered: kinds.filtered, rejected: kinds.rejected } satisfies Record<
  string,
  Deliveries
>;
type KindName = keyof typeof measuredKinds;
interface Round {
  cpuMs: number;
  perSecond: number;
}

/** Measures each kind of delivery; the contenders take turns within each round, in another order in the next. */
export async function measureRounds(
  contenders: readonly Contender[],
  { deliveries, rounds, files, progress }: Rounds,
): Promise<Partial<Record<Contender["name"], Record<KindName, Cost>>>> {
  const measure = async ({ ingress }: Contender, kind: KindName): Promise<Round> => {
    const before = await ingress.cpuMs();
    const seconds = await sendDeliveries(ingress.url, files, measuredKinds[kind], deliveries);
    return { cpuMs: ((await ingress.cpuMs()) - before) / deliveries, perSecond: deliveries / seconds };
  };
  // The first seconds of every process are its compiler's.
  for (const contender of contenders) await measure(contender, "accepted");
  const measured: Partial<Record<Contender["name"], Record<KindName, Cost>>> = {};
  const names = Object.keys(measuredKinds) as KindName[];
  for (const kind of names) {
    const done = new Map(contenders.map(({ name }) => [name, [] as Round[]]));
    for (let round = 0; round < rounds; round += 1) {
      for (const contender of orderOf(contenders, round)) {
        done.get(contender.name)?.push(await measure(contender, kind));
      }
    }
    for (const [name, results] of done) {
      const cost = costOf(results);
      progress(`${kind}, ${name}: ${cost.cpuMs} ms CPU`);
      measured[name] = { ...measured[name], [kind]: cost } as Record<KindName, Cost>;
    }
  }
  return measured;
}

function costOf(rounds: readonly Round[]): Cost {
  const { min, max } = spread(rounds.map(({ cpuMs }) => cpuMs));
  return {
    cpuMs: rounded(median(rounds.map(({ cpuMs }) => cpuMs))),
    cpuMsSpread: { min: rounded(min), max: rounded(max) },
    perSecond: rounded(median(rounds.map(({ perSecond }) => perSecond))),
  };
}
