import { usualRates } from "./faults.ts";
import { History } from "./history.ts";
import { plantedBugs } from "./planted-bugs.ts";

/** Which history a worker plays. */
export interface Asked {
  seed: number;
  /** Steps of trouble. */
  steps: number;
  /** Name of a planted bug. */
  bug?: string | undefined;
}

/** How a history ended. */
export interface Played {
  seed: number;
  /** Events that its senders made. */
  events: number;
  /** What was wrong and what happened before; undefined: nothing was. */
  failure?: string | undefined;
}

/** Plays one history to its end, or to what is wrong in it. */
export async function played({ seed, steps, bug: name }: Asked): Promise<Played> {
  const bug = plantedBugs.find((one) => one.name === name);
  const history = new History({ seed, steps, rates: usualRates, ...(bug && { bug }) });
  const failure = await history.play().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  return { seed, events: history.sender.events.length, failure };
}
