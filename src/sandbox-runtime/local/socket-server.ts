import { once } from "node:events";
import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { ChildAnswer, ChildRequest } from "../../api/runtime/children.ts";
import type { RefusedKind } from "../../api/runtime/refused-from-agent.ts";
import type { RuntimeLog } from "../log.ts";
import { AgentChannel } from "./agent-channel.ts";
import { type CredentialAnswer, type CredentialRequest, FirstWord, localLimits, localSocketName } from "./messages.ts";
import { LineSocket } from "./line-socket.ts";

interface Deps {
  /** Shared with the agent's container and with nobody else: the pod's volume is the check of who may connect. */
  directory: string;
  log: RuntimeLog;
  credential: (request: CredentialRequest) => Promise<CredentialAnswer>;
  child: (request: ChildRequest) => Promise<ChildAnswer>;
  refused: (kind: RefusedKind) => void;
}

/** Connections at once; git opens one for each credential. */
const mostConnections = 64;
/** How long a peer may take to say what it is, in milliseconds. */
const firstWordMs = 5_000;

/** The runtime's end of the socket that the two containers share. */
export class SocketServer {
  readonly #deps: Deps;
  readonly #server: Server;
  readonly #agent = Promise.withResolvers<AgentChannel>();
  readonly #transfers = new Map<string, (socket: Socket) => void>();
  #hasAgent = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = mostConnections;
    this.#server.on("drop", () => deps.refused("tooManyConnections"));
  }

  /** The agent's container, once it has introduced itself. */
  get agent(): Promise<AgentChannel> {
    return this.#agent.promise;
  }

  /** The connection that the agent's container opens under this name. */
  transfer(name: string): Promise<Socket> {
    return new Promise((resolve) => this.#transfers.set(name, resolve));
  }

  async listen(): Promise<void> {
    const path = join(this.#deps.directory, localSocketName);
    await mkdir(this.#deps.directory, { recursive: true });
    await rm(path, { force: true });
    this.#server.listen(path);
    await once(this.#server, "listening");
    // Connecting needs the right to write; the agent's user shares only the group.
    await chmod(path, 0o660);
  }

  close(): void {
    this.#server.close();
  }

  #accept(socket: Socket): void {
    let heard = false;
    let channel: AgentChannel | undefined;
    socket.setTimeout(firstWordMs, () => !heard && socket.destroy());
    const hear = (document: unknown): void => {
      if (channel) {
        channel.hear(document);
        return;
      }
      if (heard) throw new Error("a second word of one who has nothing more to say");
      heard = true;
      socket.setTimeout(0);
      channel = this.#meet(lines, FirstWord.parse(document));
    };
    const lines = new LineSocket(socket, localLimits.toRuntimeBytes, hear, (why) => this.#deps.refused(why));
  }

  #meet(lines: LineSocket, word: FirstWord): AgentChannel | undefined {
    if (word.type === "credential") {
      void this.#deps.credential(word).then((answer) => {
        lines.send(answer);
        lines.end();
      });
      return undefined;
    }
    if (word.type === "child") {
      void this.#deps.child(word.request).then((answer) => {
        lines.send(answer);
        lines.end();
      });
      return undefined;
    }
    if (word.type === "transfer") {
      const take = this.#transfers.get(word.transfer);
      if (!take) throw new Error("nobody waits for this transfer");
      this.#transfers.delete(word.transfer);
      take(lines.release());
      return undefined;
    }
    if (this.#hasAgent) {
      this.#deps.log.warn("Refused a second agent");
      this.#deps.refused("secondAgent");
      lines.destroy();
      return undefined;
    }
    this.#hasAgent = true;
    const channel = new AgentChannel(lines, word);
    this.#agent.resolve(channel);
    return channel;
  }
}
