import { parseArgs } from "node:util";

/** How long and what is measured. */
export interface BenchOptions {
  /** Of each measurement. */
  seconds: number;
  rounds: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
  /** A folder for a CPU profile of the ingress. */
  profile?: string | undefined;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      seconds: { type: "string", default: "5" },
      rounds: { type: "string", default: "3" },
      profile: { type: "string" },
    },
  });
  const { output, seconds, rounds, profile } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    seconds: positive("seconds", seconds),
    rounds: positive("rounds", rounds),
    json: output === "json",
    profile,
  };
}

function positive(name: string, text: string): number {
  if (/^[1-9][0-9]*$/.test(text)) return Number(text);
  throw new Error(`--${name} is ${JSON.stringify(text)}, but it must be a whole number of at least 1`);
}
