import { plainText } from "../../api/runtime/text.ts";
import type { WorkContext } from "../work-context.ts";

/** Shorter values would be found by chance. UTF-8 bytes. */
const shortestBytes = 16;
/** Kept of the names that were found, in UTF-16 units; further ones are only counted. */
const keptUnits = 1_048_576;
const nameUnits = 300;

/**
 * Names of the files of workspace and home that contain the value of a secret, as they are below their folder. The search
 * is in the agent's container, where the values are known; only the runtime has the keys of SSH.
 */
export async function findSecrets({ agent, bundle }: Pick<WorkContext, "agent" | "bundle">): Promise<string[]> {
  const passwords = bundle.repositories.flatMap(({ credential }) => credential?.password ?? []);
  const values = [...new Set([...Object.values(bundle.environment), ...passwords])];
  const searched = values.filter((value) => Buffer.byteLength(value) >= shortestBytes);
  if (searched.length === 0) return [];
  const { program, workspace } = agent.introduction;
  const command = [...program, "find-secrets"];
  let output = "";
  const input = JSON.stringify(searched);
  const running = agent.run({ command, cwd: workspace, env: {}, input, keepsChildren: false }, (stream, text) => {
    if (stream === "stdout" && output.length < keptUnits) output += text;
  });
  await running.ended;
  return output
    .split("\0")
    .filter((name) => name !== "")
    .map((name) => plainText(name, nameUnits));
}
