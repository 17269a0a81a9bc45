import { runPlugin } from "./plugin.ts";
import { keyManagerName } from "./tenant-objects.ts";
import type { Workbench } from "./workbench.ts";

/** A new API key, and all that the plugin printed with it. */
export interface CreatedKey {
  key: string;
  printed: string;
}

/** Makes an Automation's API key with `kubectl runwright key create NAMESPACE/NAME`. */
export async function createKey(bench: Workbench, automation: string): Promise<CreatedKey> {
  const asWhom = ["--service-account", `${automation.split("/")[0]}/${keyManagerName}`];
  const printed = await runPlugin(bench, ["key", "create", automation, ...asWhom]);
  // 32 random bytes as base64url have 43 characters.
  const key = /(?<![\w-])[\w-]{43}(?![\w-])/.exec(printed)?.[0];
  if (key === undefined) throw new Error("key create printed no key of 43 characters");
  return { key, printed };
}
