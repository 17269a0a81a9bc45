/** The counter of consecutive failures and whether it paused the Automation. */
export interface Tally {
  counter: number;
  paused: boolean;
}

const failureLimit = 3;

/** Every tally that so many strikes and so many full successes can lead to, counted in whatever order. */
export function tallies(from: readonly Tally[], strikes: number, successes: number): Tally[] {
  const found = new Map<string, Tally>();
  const count = ({ counter, paused }: Tally, strikesLeft: number, successesLeft: number): void => {
    if (strikesLeft === 0 && successesLeft === 0) found.set(`${counter} ${paused}`, { counter, paused });
    if (strikesLeft > 0) {
      count({ counter: counter + 1, paused: paused || counter + 1 >= failureLimit }, strikesLeft - 1, successesLeft);
    }
    if (successesLeft > 0) count({ counter: 0, paused }, strikesLeft, successesLeft - 1);
  };
  for (const tally of from) count(tally, strikes, successes);
  return [...found.values()];
}

/** Whether the Automation can be paused by failures at some moment on the way. */
export function mayPause({ counter, paused }: Tally, strikes: number): boolean {
  return paused || counter + strikes >= failureLimit;
}
