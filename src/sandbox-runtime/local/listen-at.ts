import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import type { Server } from "node:net";

/** Listens at a socket in the directory that both containers share, in the place of a former one. */
export async function listenAt(server: Server, path: string): Promise<void> {
  await rm(path, { force: true });
  server.listen(path);
  await once(server, "listening");
  // Connecting needs write permission; the agent's user shares only the group.
  await chmod(path, 0o660);
}
