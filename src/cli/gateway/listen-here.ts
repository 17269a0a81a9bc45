import { once } from "node:events";
import type { Server } from "node:net";

import { CliError } from "../cli-error.ts";

/** Has a server listen for this machine alone; `port` 0 takes any free port. @throws CliError where the port cannot be had */
export async function listenHere(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === "EADDRINUSE" ? "is taken" : code === "EACCES" ? "needs root" : undefined;
    if (problem === undefined) throw error;
    throw new CliError(`port ${port} of this machine ${problem}: name another with --local-port; 0 picks a free one`);
  }
}
