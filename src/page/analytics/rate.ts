/** A completion rate in whole percent; a dash where nothing has ended. */
export function shownRate(rate: number | null): string {
  return rate === null ? "–" : `${Math.round(rate * 100)} %`;
}
