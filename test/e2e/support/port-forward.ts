import { spawn } from "node:child_process";

import type { Workbench } from "./workbench.ts";

/** A Service's port, reachable on loopback. */
export interface Forward {
  port: number;
  close(): void;
}

/** Starts `kubectl port-forward`; throws with its message when it does not come up. */
export function forwardService(
  { kubectl: { path, args } }: Workbench,
  { namespace, name, port }: { namespace: string; name: string; port: number },
): Promise<Forward> {
  const command = [...args, "-n", namespace, "port-forward", "--address", "127.0.0.1", `service/${name}`, `:${port}`];
  const child = spawn(path, command, { stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const local = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (local !== undefined) resolve({ port: Number(local), close: () => void child.kill() });
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", reject);
    child.on("exit", (status) => reject(new Error(`kubectl port-forward ended with status ${status}: ${said.trim()}`)));
  });
}
