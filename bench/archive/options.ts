import { parseArgs } from "node:util";

const engines = ["embedded", "postgresql"] as const;

export interface ArchiveOptions {
  /** Runs that the archive has, each with a session. */
  runs: number;
  engines: readonly (typeof engines)[number][];
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): ArchiveOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      runs: { type: "string", default: "1000000" },
      engine: { type: "string" },
    },
  });
  const { output, runs, engine } = values;
  if (output !== "json" && output !== "text") throw refused("--output", output, "json or text");
  if (!/^[1-9][0-9]{2,7}$/.test(runs)) throw refused("--runs", runs, "a whole number from 100 to 99999999");
  const wanted = engines.filter((one) => engine === undefined || one === engine);
  if (wanted.length === 0) throw refused("--engine", engine ?? "", engines.join(" or "));
  return { runs: Number(runs), engines: wanted, json: output === "json" };
}

function refused(name: string, given: string, expected: string): Error {
  return new Error(`${name} is ${JSON.stringify(given)}, but it must be ${expected}`);
}
