import { once } from "node:events";
import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { ChildAnswer, ChildRequest } from "../../api/runtime/children.ts";
import type { RefusedKind } from "../../api/runtime/refused-from-agent.ts";
import type { RuntimeLog } from "../log.ts";
import { AgentChannel } from "./agent-channel.ts";
import {
  type CredentialAnswer,
  type CredentialRequest,
  OpeningMessage,
  localLimits,
  localSocketName,
} from "./messages.ts";
import { LineSocket } from "./line-socket.ts";

interface Deps {
  /** On a volume of these two containers only, which decides who may connect. */
  directory: string;
  log: RuntimeLog;
  credential: (request: CredentialRequest) => Promise<CredentialAnswer>;
  child: (request: ChildRequest) => Promise<ChildAnswer>;
  refused: (kind: RefusedKind) => void;
}

/** Concurrent connections; git opens one for each credential. */
const mostConnections = 64;
/** How long a peer may take to send its opening message, in milliseconds. */
const openingMs = 5_000;

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

  /** Resolves when the agent's container has connected. */
  get agent(): Promise<AgentChannel> {
    return this.#agent.promise;
  }

  /** Resolves with the connection that the agent's container opens for this transfer. */
  transfer(name: string): Promise<Socket> {
    return new Promise((resolve) => this.#transfers.set(name, resolve));
  }

  async listen(): Promise<void> {
    const path = join(this.#deps.directory, localSocketName);
    await mkdir(this.#deps.directory, { recursive: true });
    await rm(path, { force: true });
    this.#server.listen(path);
    await once(this.#server, "listening");
    // Connecting needs write permission; the agent's user shares only the group.
    await chmod(path, 0o660);
  }

  close(): void {
    this.#server.close();
  }

  #accept(socket: Socket): void {
    let isOpened = false;
    let channel: AgentChannel | undefined;
    socket.setTimeout(openingMs, () => !isOpened && socket.destroy());
    const receive = (document: unknown): void => {
      if (channel) {
        channel.receive(document);
        return;
      }
      if (isOpened) throw new Error("more than one message");
      isOpened = true;
      socket.setTimeout(0);
      channel = this.#open(lines, OpeningMessage.parse(document));
    };
    const lines = new LineSocket(socket, localLimits.toRuntimeBytes, receive, (why) => this.#deps.refused(why));
  }

  #open(lines: LineSocket, opening: OpeningMessage): AgentChannel | undefined {
    if (opening.type === "credential") {
      void this.#deps.credential(opening).then((answer) => {
        lines.send(answer);
        lines.end();
      });
      return undefined;
    }
    if (opening.type === "child") {
      void this.#deps.child(opening.request).then((answer) => {
        lines.send(answer);
        lines.end();
      });
      return undefined;
    }
    if (opening.type === "transfer") {
      const take = this.#transfers.get(opening.transfer);
      if (!take) throw new Error("unknown transfer");
      this.#transfers.delete(opening.transfer);
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
    const channel = new AgentChannel(lines, opening);
    this.#agent.resolve(channel);
    return channel;
  }
}
