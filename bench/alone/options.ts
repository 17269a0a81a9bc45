import { parseArgs } from "node:util";

import { wholeNumber } from "../whole-number.ts";

/** How much is measured, and of which programs. */
export interface AloneOptions {
  /** Deliveries of each kind in each round. */
  deliveries: number;
  rounds: number;
  /** The program to measure; a build of this tree where there is none. */
  program?: string | undefined;
  /** Another build of it, measured in turns. */
  beside?: string | undefined;
  /** A folder for a CPU profile of the ingress. */
  profile?: string | undefined;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): AloneOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      deliveries: { type: "string", default: "4000" },
      rounds: { type: "string", default: "5" },
      program: { type: "string" },
      beside: { type: "string" },
      profile: { type: "string" },
    },
  });
  const { output, deliveries, rounds, program, beside, profile } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    deliveries: wholeNumber("--deliveries", deliveries, 1_000_000),
    rounds: wholeNumber("--rounds", rounds, 100),
    program,
    beside,
    profile,
    json: output === "json",
  };
}
