import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { listenAt } from "../local/listen-at.ts";
import { answerAgent, isMisuse, lengthPrefixed, readSigningKey, type SigningKey } from "./agent-protocol.ts";

/** Bytes of the longest accepted message; a login has a few hundred. */
const longestMessage = 65_536;
const mostConnections = 16;
/** How long a connection may be idle, in milliseconds. */
const idleMs = 120_000;

/** Socket of the SSH agent of one repository, in the directory that both containers share. */
export function keyAgentSocket(directory: string, index: number): string {
  return join(directory, `ssh-${index}.sock`);
}

/** Serves one SSH agent for each repository with a key. Its clients can log in with the key and cannot read it. */
export class KeyAgents {
  readonly #directory: string;
  /** Called for each request that is refused. */
  readonly #refused: () => void;
  readonly #servers: Server[] = [];

  constructor(directory: string, refused: () => void) {
    this.#directory = directory;
    this.#refused = refused;
  }

  /** Resolves when all are listening. */
  async open(repositories: readonly Pick<BundleRepository, "sshKey">[]): Promise<void> {
    for (const [index, { sshKey }] of repositories.entries()) {
      if (sshKey) await this.#listen(keyAgentSocket(this.#directory, index), readSigningKey(sshKey.privateKey));
    }
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }

  async #listen(path: string, key: SigningKey): Promise<void> {
    const server = createServer((socket) => serve(socket, key, this.#refused));
    server.maxConnections = mostConnections;
    this.#servers.push(server);
    await listenAt(server, path);
  }
}

/** Answers length-prefixed messages one after the other. */
function serve(socket: Socket, key: SigningKey, refused: () => void): void {
  let held: Buffer = Buffer.alloc(0);
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 4) {
      const length = held.readUInt32BE(0);
      if (length === 0 || length > longestMessage) {
        refused();
        socket.destroy();
        return;
      }
      if (held.length < 4 + length) return;
      const message = held.subarray(4, 4 + length);
      const answer = answerAgent(key, message);
      if (isMisuse(message, answer)) refused();
      held = held.subarray(4 + length);
      socket.write(lengthPrefixed(answer));
    }
  });
}
