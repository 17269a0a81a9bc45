import type { World } from "./world.ts";

/** One thing that an attacker tries. */
export interface Attempt {
  name: string;
  /** What comes of it; "refused" where it is left out. */
  outcome?: unknown;
  /** Name of the count in {@link readCounts} that each such attempt raises; left out where no process of the cluster sees it. */
  counted?: string;
  /** No attempt, but what shows that the attempts beside it were made. */
  isControl?: true;
}

/** Attempts of one attacker, who tries them one after the other. */
export interface Group {
  title: string;
  /** Its source, below `test/attacks`. */
  file: string;
  attempts: readonly Attempt[];
  /** Tries all of them; gives what came of each, by its name. */
  run: (world: World) => Promise<Record<string, unknown>>;
}
