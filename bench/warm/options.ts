import { parseArgs } from "node:util";
import { wholeNumber } from "../whole-number.ts";

/** How many deliveries, and how fast. */
export interface WarmOptions {
  rounds: number;
  /** Of each round; so many sandboxes wait before it begins. */
  deliveries: number;
  /** Of each round without a pool. */
  beside: number;
  perSecond: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): WarmOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      rounds: { type: "string", default: "10" },
      deliveries: { type: "string", default: "20" },
      beside: { type: "string", default: "5" },
      "per-second": { type: "string", default: "5" },
    },
  });
  const { output, rounds, deliveries, beside, "per-second": perSecond } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    rounds: wholeNumber("--rounds", rounds, 100),
    // More pods than twice as many, those that wait and those that work, a node does not take.
    deliveries: wholeNumber("--deliveries", deliveries, 40),
    beside: wholeNumber("--beside", beside, 40),
    perSecond: wholeNumber("--per-second", perSecond, 5),
    json: output === "json",
  };
}
