import { stages } from "../../test/e2e/support/stages.ts";
import { percentile, rounded } from "../statistics.ts";
import type { Measured } from "./round.ts";

export interface Quantiles {
  count: number;
  p50Ms: number;
  p99Ms: number;
}

export function quantiles(numbers: readonly number[]): Quantiles {
  const of = (share: number): number => rounded(percentile(numbers, share));
  return { count: numbers.length, p50Ms: of(0.5), p99Ms: of(0.99) };
}

export interface Figures extends Quantiles {
  /** The share of sandboxes that waited, of all deliveries: also of those that found the pool empty. */
  warmShare: number;
  /** Until each stage, of those deliveries of which it was seen. */
  stages: Record<string, Quantiles>;
}

export function figuresOf(measured: readonly Measured[]): Figures {
  const warmShare = rounded(measured.filter(({ isWarm }) => isWarm).length / measured.length);
  const byStage = stages.flatMap((stage) => {
    const seen = measured.flatMap(({ stagesMs }) => stagesMs[stage] ?? []);
    return seen.length === 0 ? [] : [[stage, quantiles(seen)] as const];
  });
  return { ...quantiles(measured.map(({ toPromptMs }) => toPromptMs)), warmShare, stages: Object.fromEntries(byStage) };
}
