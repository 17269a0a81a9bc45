import { median, percentile, rounded, spread, type Spread } from "../statistics.ts";
import type { Experience } from "./neighbour.ts";

/** The neighbour alone, beside raw requests to the API server, and beside an attack that has it do as many. */
export type Situation = "alone" | "raw" | "attack";

/** How the neighbour fared in one situation; medians over the rounds. */
interface Fared {
  /** How often it went well, in all rounds. */
  count: number;
  p50Ms: number;
  p99Ms: number;
  /** What came of the other times, in all rounds. */
  failures: string[];
}

/** One thing that the neighbour waits for; `ratio` is its p99 beside the attack to that beside as many raw requests, of each round. */
export interface Compared extends Record<Situation, Fared> {
  ratio: number;
  ratioSpread: Spread;
}

export function compare(rounds: readonly Record<Situation, Experience>[]): Compared {
  const p99 = ({ ms }: Experience): number => percentile(ms, 0.99);
  const ratios = rounds.map(({ attack, raw }) => p99(attack) / p99(raw));
  const { min, max } = spread(ratios);
  const faredIn = (situation: Situation): Fared => fared(rounds.map((round) => round[situation]));
  return {
    alone: faredIn("alone"),
    raw: faredIn("raw"),
    attack: faredIn("attack"),
    ratio: rounded(median(ratios)),
    ratioSpread: { min: rounded(min), max: rounded(max) },
  };
}

function fared(rounds: readonly Experience[]): Fared {
  const middle = (share: number): number => rounded(median(rounds.map(({ ms }) => percentile(ms, share))));
  return {
    count: rounds.reduce((sum, { ms }) => sum + ms.length, 0),
    p50Ms: middle(0.5),
    p99Ms: middle(0.99),
    failures: rounds.flatMap(({ failures }) => failures),
  };
}
