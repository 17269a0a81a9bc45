import { parseArgs } from "node:util";

/** How large a workspace and a home are saved. */
export interface WorkspaceOptions {
  mebibytes: number;
  homeMebibytes: number;
  /** That the workspace's bytes are spread over. */
  files: number;
  /** One JSON document on standard output and nothing else. */
  json: boolean;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): WorkspaceOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      mebibytes: { type: "string", default: "2048" },
      "home-mebibytes": { type: "string", default: "200" },
      files: { type: "string", default: "1" },
    },
  });
  const { output, mebibytes, "home-mebibytes": homeMebibytes, files } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    mebibytes: atLeastOne("--mebibytes", mebibytes),
    homeMebibytes: atLeastOne("--home-mebibytes", homeMebibytes),
    files: atLeastOne("--files", files),
    json: output === "json",
  };
}

function atLeastOne(name: string, text: string): number {
  if (!/^[1-9][0-9]*$/.test(text)) {
    throw new Error(`${name} is ${JSON.stringify(text)}, but it must be a whole number of at least 1`);
  }
  return Number(text);
}
