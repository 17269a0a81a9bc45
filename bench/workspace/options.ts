import { parseArgs } from "node:util";

/** How large a workspace is saved. */
export interface WorkspaceOptions {
  mebibytes: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): WorkspaceOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { output: { type: "string", default: "text" }, mebibytes: { type: "string", default: "2048" } },
  });
  const { output, mebibytes } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  if (!/^[1-9][0-9]*$/.test(mebibytes)) {
    throw new Error(`--mebibytes is ${JSON.stringify(mebibytes)}, but it must be a whole number of at least 1`);
  }
  return { mebibytes: Number(mebibytes), json: output === "json" };
}
