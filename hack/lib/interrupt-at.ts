import { spawn } from "node:child_process";
import { once } from "node:events";

import { onTestFinished } from "vitest";

/** How a program ended, and all that it printed. */
export interface Interrupted {
  status: number;
  said: string;
}

/**
 * For a test: starts a program of ours and presses Ctrl-C as a terminal does, for it and all that it has started, when it has printed
 * `text`. A program that ends earlier is given as it ended.
 */
export async function interruptAt(
  text: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Interrupted> {
  const child = spawn(process.execPath, command, { env: { ...process.env, ...env }, detached: true });
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? 0), name);
    } catch {
      // All of them have ended.
    }
  };
  onTestFinished(() => signal("SIGKILL"));
  let said = "";
  const hear = (heard: Buffer): void => {
    const before = said;
    said += heard.toString();
    if (!before.includes(text) && said.includes(text)) signal("SIGINT");
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const [status] = (await once(child, "close")) as [number];
  return { status, said };
}
