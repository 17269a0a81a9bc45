/** One parser that strangers reach, with what must hold for every input. */
export interface Target {
  /** Names the file of its corpus, too. */
  name: string;
  /** Inputs to begin with. */
  seeds: readonly (string | Buffer)[];
  /** Throws when something that must hold does not. A refusal is no error. */
  take: (input: Buffer) => void | Promise<void>;
}

/** @throws Error that says what does not hold */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}
