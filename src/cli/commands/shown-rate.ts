/** A rate in percent to a tenth; a dash where there is none. */
export function shownRate(rate: number | null): string {
  return rate === null ? "-" : `${Math.round(rate * 1_000) / 10} %`;
}
