import type { Cluster, ContextName } from "../cluster/cluster.ts";
import type { Command } from "../command.ts";
import { complete } from "./complete.ts";
import { completionLines } from "./completion-lines.ts";
import { objectNames } from "./object-names.ts";

/** The first word of the calls that shells make to complete a command line. */
export const completeWord = "__complete";

/**
 * Lines that say what may stand in place of the last of the words after `kubectl runwright`. A cluster that does not answer adds
 * no names: a message would stand in the middle of what the user types.
 */
export async function answerShell(
  commands: readonly Command[],
  words: readonly string[],
  openCluster: (name: ContextName) => Cluster,
): Promise<string> {
  const { choices, kinds, files } = complete(commands, words);
  const names = kinds.length === 0 ? [] : await namesIn(words, kinds, openCluster).catch(() => []);
  return completionLines([...choices, ...names.map((word) => ({ word, about: "" }))], files);
}

async function namesIn(
  words: readonly string[],
  kinds: readonly string[],
  openCluster: (name: ContextName) => Cluster,
): Promise<string[]> {
  const before = words.slice(0, -1);
  const partial = words.at(-1) ?? "";
  const cluster = openCluster({ kubeconfig: given(before, "--kubeconfig"), context: given(before, "--context") });
  try {
    // As in NAMESPACE/NAME.
    const [first = "", ...rest] = partial.split("/");
    const prefix = rest.length > 0 ? `${first}/` : "";
    const namespace = given(before, "--namespace") ?? given(before, "-n") ?? cluster.namespace;
    const names = await objectNames(cluster, kinds, prefix === "" ? namespace : first);
    return names.map((name) => `${prefix}${name}`).filter((name) => name.startsWith(partial));
  } finally {
    await cluster.close();
  }
}

/** The value of a flag as `--flag VALUE` or `--flag=VALUE`. */
function given(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag);
  if (at >= 0) return words[at + 1];
  return words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
}
