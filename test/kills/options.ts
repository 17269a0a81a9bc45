import { parseArgs } from "node:util";

/** How long a campaign is, and which one. */
export interface KillsOptions {
  kills: number;
  /** Decides what is killed when, and what sessions are asked. */
  seed: number;
  /** Sessions at once. */
  lanes: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): KillsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string", default: "1000" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
      lanes: { type: "string", default: "6" },
      output: { type: "string", default: "text" },
    },
  });
  const { output } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  const [kills = 0, seed = 0, lanes = 0] = (["kills", "seed", "lanes"] as const).map((name) => {
    if (/^[1-9][0-9]*$/.test(values[name])) return Number(values[name]);
    throw new Error(`--${name} is ${JSON.stringify(values[name])}, but it must be a whole number of at least 1`);
  });
  return { kills, seed, lanes, json: output === "json" };
}
