/** Minutes after the run's beginning within which a level begins that may be left out, so that a slow machine ends the others in CI's time. */
const latestMinutes = 60;

/** Why a level that may be left out does not begin any more, so long after the run has begun; undefined where it does. */
export function whyTooLate(project: string, ranMs: number): string | undefined {
  if (ranMs <= latestMinutes * 60_000) return undefined;
  return `the levels before it took over ${latestMinutes} minutes; npm run test:${project} runs it`;
}
