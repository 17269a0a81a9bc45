import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import type { Level } from "./levels.ts";

/**
 * Builds and installs what levels stand on, at the lowest priority, so that other tests run beside it; resolves when all is there that can
 * be had. Where all is there already this takes a second.
 */
export async function provideFor(some: readonly Level[]): Promise<void> {
  const footings = [...new Set(some.map(({ footing }) => footing))];
  const program = join(import.meta.dirname, "provide", "main.ts");
  const child = spawn("nice", ["-n", "19", process.execPath, program, ...footings], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  // Where it does not even start, the levels bring what they need themselves.
  await once(child, "exit").catch(() => undefined);
}
