import { parseArgs } from "node:util";

import { wholeNumber } from "../whole-number.ts";

/** What is measured. */
export interface WebOptions {
  /** Views of each page. */
  views: number;
  /** Of the long list. */
  automations: number;
  /** Of the long session. */
  events: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): WebOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      views: { type: "string", default: "50" },
      automations: { type: "string", default: "1000" },
      events: { type: "string", default: "10000" },
    },
  });
  const { output } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    views: wholeNumber("--views", values.views, 1_000),
    automations: wholeNumber("--automations", values.automations, 10_000),
    events: wholeNumber("--events", values.events, 100_000),
    json: output === "json",
  };
}
