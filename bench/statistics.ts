/** The middle of some numbers, of an even count the mean of the two in the middle; throws for none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error("no numbers have no median");
  return (lower + upper) / 2;
}

/** How far the rounds lie apart: lowest and highest. */
export interface Spread {
  min: number;
  max: number;
}

export function spread(numbers: readonly number[]): Spread {
  if (numbers.length === 0) throw new Error("no numbers have no spread");
  return { min: Math.min(...numbers), max: Math.max(...numbers) };
}

/** Whole numbers from 100 on, below that three significant digits. */
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** The contenders in another order each round, so that none always runs first. */
export function orderOf<T>(contenders: readonly T[], round: number): T[] {
  const at = contenders.length === 0 ? 0 : round % contenders.length;
  return [...contenders.slice(at), ...contenders.slice(0, at)];
}

/** The least of some numbers that at least this share of them (0 to 1) does not pass; throws for none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error("no numbers have no percentile");
  return value;
}
