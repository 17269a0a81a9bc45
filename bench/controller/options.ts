import { parseArgs } from "node:util";

import { wholeNumber } from "../whole-number.ts";

/** How much the controller's bench measures. */
export interface ControllerOptions {
  /** Runs of each round, and Runs that live at once where memory and restart are measured. */
  runs: number;
  rounds: number;
  /** Runs under way at once in a round. */
  inFlight: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
  /** A folder for CPU profiles of the controller. */
  profile?: string | undefined;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): ControllerOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      runs: { type: "string", default: "1000" },
      rounds: { type: "string", default: "3" },
      "in-flight": { type: "string", default: "32" },
      profile: { type: "string" },
    },
  });
  const { output, profile } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    runs: wholeNumber("--runs", values.runs, 100_000),
    rounds: wholeNumber("--rounds", values.rounds, 100),
    inFlight: wholeNumber("--in-flight", values["in-flight"], 1_000),
    json: output === "json",
    profile,
  };
}
