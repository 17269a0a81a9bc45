import { SeededRandom } from "../../simulation/seeded-random.ts";
import type { Coverage } from "./instrumented.ts";
import { mutate } from "./mutate.ts";
import type { Target } from "./target.ts";

export interface Found {
  /** As few inputs as reach all that was reached. */
  corpus: Buffer[];
  runs: number;
  /** Places that were reached, each with about how often. */
  reached: number;
  failure?: { input: Buffer; error: unknown };
}

interface Guide {
  corpus: readonly Buffer[];
  seed: number;
  /** Whether there is time for another input. */
  goOn: () => boolean;
}

/** Changes inputs at random, keeps those that reach what none did before, and changes these further. */
export async function explore(target: Target, coverage: Coverage, { corpus, seed, goOn }: Guide): Promise<Found> {
  const random = new SeededRandom(seed);
  const inputs = new Inputs();
  let runs = 0;
  const tried = async (input: Buffer): Promise<unknown> => {
    runs += 1;
    coverage.reset();
    try {
      await target.take(input);
    } catch (error) {
      return error ?? new Error("it threw nothing");
    }
    inputs.keepIfNew(input, coverage.reached());
    return undefined;
  };
  const next = function* (): Generator<Buffer> {
    yield* target.seeds.map((one) => Buffer.from(one));
    yield* corpus;
    while (goOn()) yield mutate(random.pick(inputs.all), random.pick(inputs.all), random);
  };
  for (const input of next()) {
    const error = await tried(input);
    if (error !== undefined) return { ...inputs.summary(), runs, failure: { input, error } };
  }
  return { ...inputs.summary(), runs };
}

class Inputs {
  readonly all: Buffer[] = [];
  readonly #reachedBy = new Map<Buffer, string[]>();
  readonly #reached = new Set<string>();

  keepIfNew(input: Buffer, reached: string[]): void {
    if (reached.every((place) => this.#reached.has(place))) return;
    for (const place of reached) this.#reached.add(place);
    this.all.push(input);
    this.#reachedBy.set(input, reached);
  }

  /** Takes inputs, the shortest first, as long as they reach something that those before do not. */
  summary(): Pick<Found, "corpus" | "reached"> {
    const covered = new Set<string>();
    const shortestFirst = this.all.toSorted((one, other) => one.length - other.length);
    const corpus = shortestFirst.filter((input) => {
      const reached = this.#reachedBy.get(input) ?? [];
      if (reached.every((place) => covered.has(place))) return false;
      for (const place of reached) covered.add(place);
      return true;
    });
    return { corpus, reached: covered.size };
  }
}
