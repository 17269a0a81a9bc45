/** What one measurement came to, as every load generator prints it. */
export interface Measured {
  count: number;
  /** Answers that were not the wanted ones, by what they were. */
  failures: Record<string, number>;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU for each request, in milliseconds: the generator's own, or the ingress's where one was measured. */
  cpuMs: number;
}

/** Answers that were not the wanted ones, all together. */
export function failuresOf({ failures }: Measured): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0);
}

/** Reads what a generator printed; throws where most answers were not the wanted ones, since nothing was measured then. */
export function readMeasured(what: string, text: string): Measured {
  const measured = JSON.parse(text) as Measured;
  const [failure] = Object.entries(measured.failures);
  if (failure && failuresOf(measured) > measured.count) throw new Error(`${what}: ${failure[1]} times ${failure[0]}`);
  if (measured.count === 0) throw new Error(`${what}: nothing was done`);
  return measured;
}
