import { run } from "../../lib/command.ts";
import { waitUntil } from "../../lib/wait.ts";
import { readLogEnd } from "./background.ts";
import type { Native } from "./layout.ts";

/** How long any one step of coming up may take. */
export const readyLimitMs = 90_000;

/** Repeats a kubectl command until it succeeds; the error after the limit carries the end of that component's log. */
export async function kubectlUntil(
  native: Native,
  what: string,
  args: readonly string[],
  log = "kubelet",
): Promise<void> {
  const describe = async (): Promise<string> => `${what}\n${await readLogEnd(native.layout, log)}`;
  await waitUntil(() => kubectl(native, args), readyLimitMs, describe);
}

/** Whether a kubectl command with admin rights succeeds. */
export function kubectl({ layout, kubernetes }: Native, args: readonly string[]): Promise<boolean> {
  const [verb = "", ...rest] = args;
  const limit = verb === "wait" ? ["--timeout=2s"] : [];
  return succeeds(kubernetes.kubectl, [
    "--kubeconfig",
    layout.kubeconfig,
    "--request-timeout=5s",
    verb,
    ...rest,
    ...limit,
  ]);
}

/** Whether a program ends with status 0. */
export function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}
