import { parseArgs } from "node:util";

import { wholeNumber } from "../whole-number.ts";

/** What is measured. */
export interface WebOptions {
  /** Views of each page. */
  views: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): WebOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { output: { type: "string", default: "text" }, views: { type: "string", default: "50" } },
  });
  const { output, views } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return { views: wholeNumber("--views", views, 1_000), json: output === "json" };
}
