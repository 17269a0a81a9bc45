import { parseArgs } from "node:util";

import { wholeNumber } from "../whole-number.ts";

/** What is cached. */
export interface MemoryOptions {
  sessions: number;
  /** Bytes of foreign annotations of each. */
  annotationBytes: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Bytes of annotations that the API server takes, with their names. */
const mostAnnotationBytes = 262_144 - 64;

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): MemoryOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      sessions: { type: "string", default: "3000" },
      "annotation-bytes": { type: "string", default: "250000" },
    },
  });
  const { output, sessions, "annotation-bytes": annotationBytes } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    sessions: wholeNumber("--sessions", sessions, 1_000_000),
    annotationBytes: wholeNumber("--annotation-bytes", annotationBytes, mostAnnotationBytes),
    json: output === "json",
  };
}
