import { parseArgs } from "node:util";

import { wholeNumber } from "../whole-number.ts";

/** What is measured. */
export interface ConnectorOptions {
  conversations: number;
  /** Follow-ups of each conversation. */
  followUps: number;
  /** For how long events come in. */
  seconds: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): ConnectorOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      conversations: { type: "string", default: "10000" },
      "follow-ups": { type: "string", default: "2" },
      seconds: { type: "string", default: "20" },
    },
  });
  const { output, conversations, "follow-ups": followUps, seconds } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    conversations: wholeNumber("--conversations", conversations, 1_000_000),
    followUps: wholeNumber("--follow-ups", followUps, 100),
    seconds: wholeNumber("--seconds", seconds, 3_600),
    json: output === "json",
  };
}
