import { parseArgs } from "node:util";

/** How many sessions are connected, and for how long they are watched. */
export interface SessionsOptions {
  sessions: number;
  /** Heartbeats of each session that are measured. */
  beats: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
  /** A folder for CPU profiles of the gateway. */
  profile?: string | undefined;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): SessionsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      sessions: { type: "string", default: "1000" },
      beats: { type: "string", default: "4" },
      profile: { type: "string" },
    },
  });
  const { output, sessions, beats, profile } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    sessions: positive("sessions", sessions),
    beats: positive("beats", beats),
    json: output === "json",
    profile,
  };
}

function positive(name: string, text: string): number {
  if (/^[1-9][0-9]*$/.test(text)) return Number(text);
  throw new Error(`--${name} is ${JSON.stringify(text)}, but it must be a whole number of at least 1`);
}
