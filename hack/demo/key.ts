import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { run } from "../lib/command.ts";
import { release } from "./install.ts";
import { keyManagerName } from "./tenant.ts";
import type { Workbench } from "./workbench.ts";

const plugin = join(import.meta.dirname, "..", "..", "dist", "kubectl-runwright.mjs");

/** A new API key, and all that the plugin printed with it. */
export interface CreatedKey {
  key: string;
  printed: string;
}

/** Makes an Automation's API key with `kubectl runwright key create NAMESPACE/NAME`. */
export async function createKey(bench: Workbench, automation: string): Promise<CreatedKey> {
  const where = ["--release-namespace", release.namespace, "--release", release.name];
  const asWhom = ["--service-account", `${automation.split("/")[0]}/${keyManagerName}`];
  const printed = await runPlugin(bench, ["key", "create", automation, ...contextArgs(bench), ...where, ...asWhom]);
  // 32 random bytes as base64url have 43 characters.
  const key = /(?<![\w-])[\w-]{43}(?![\w-])/.exec(printed)?.[0];
  if (key === undefined) throw new Error("key create printed no key of 43 characters");
  return { key, printed };
}

/** kubectl finds plugins on PATH by their name, which the bundle of this checkout gets for as long as it runs. */
async function runPlugin({ kubectl, environment }: Workbench, args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-plugin-"));
  try {
    await symlink(plugin, join(folder, "kubectl-runwright"));
    const path = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
    return await run(kubectl.path, ["runwright", ...args], { env: { ...environment, PATH: path } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function contextArgs({ helmArgs }: Workbench): string[] {
  const index = helmArgs.indexOf("--kube-context");
  return index < 0 ? [] : ["--context", helmArgs[index + 1] ?? ""];
}
