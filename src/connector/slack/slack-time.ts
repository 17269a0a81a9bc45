/** Compares times such as `1767225600.123456` as decimals: their digits are more than a floating-point number holds. */
export function compareTimes(left: string, right: string): number {
  const [a, b] = [ticksOf(left), ticksOf(right)];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A stored time, unless it is none. */
export function readableTime(time: string | undefined): string | undefined {
  return time !== undefined && /^[0-9]{1,16}\.[0-9]{1,9}$/.test(time) ? time : undefined;
}

/** The later of what was stored and what came; a stored one that is none is as if it were not there. */
export function laterOf(stored: string | undefined, right: string | undefined): string | undefined {
  const left = readableTime(stored);
  if (left === undefined || right === undefined) return left ?? right;
  return compareTimes(left, right) < 0 ? right : left;
}

/** In billionths of a second. */
function ticksOf(time: string): bigint {
  const [seconds = "0", fraction = ""] = time.split(".");
  return BigInt(`${seconds}${fraction.padEnd(9, "0")}`);
}
