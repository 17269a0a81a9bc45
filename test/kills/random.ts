/** Numbers that a seed decides: from 0 to below 1. */
export type Random = () => number;

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to `most`, both included. */
export function wholeNumber(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** One of some; throws for none. */
export function oneOf<T>(random: Random, choices: readonly T[]): T {
  const chosen = choices[wholeNumber(random, 0, choices.length - 1)];
  if (chosen === undefined) throw new Error("there is nothing to choose from");
  return chosen;
}
