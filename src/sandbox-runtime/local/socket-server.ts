import { mkdir } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { ChildAnswer, ChildRequest } from "../../api/runtime/children.ts";
import type { PullRequestText } from "../../api/runtime/messages.ts";
import type { RefusedKind } from "../../api/runtime/refused-from-agent.ts";
import type { RuntimeLog } from "../log.ts";
import { AgentChannel } from "./agent-channel.ts";
import {
  type AgentIntroduction,
  type CredentialAnswer,
  type CredentialRequest,
  type OfferedTools,
  OpeningMessage,
  localLimits,
  localSocketName,
} from "./messages.ts";
import { IncomingFile, type OfferedFile } from "./incoming-file.ts";
import { LineSocket } from "./line-socket.ts";
import { listenAt } from "./listen-at.ts";

interface Deps {
  /** On a volume of these two containers only, which decides who may connect. */
  directory: string;
  log: RuntimeLog;
  credential: (request: CredentialRequest) => Promise<CredentialAnswer>;
  child: (request: ChildRequest) => Promise<ChildAnswer>;
  pullRequest: (text: PullRequestText) => ChildAnswer;
  tools: () => OfferedTools;
  /** `content` has the file sent. */
  media: (file: OfferedFile, content: () => Promise<Buffer>) => Promise<ChildAnswer>;
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
    await mkdir(this.#deps.directory, { recursive: true });
    await listenAt(this.#server, join(this.#deps.directory, localSocketName));
  }

  close(): void {
    this.#server.close();
  }

  #accept(socket: Socket): void {
    let isOpened = false;
    let opened: Receiver | undefined;
    socket.setTimeout(openingMs, () => !isOpened && socket.destroy());
    const receive = (document: unknown): void => {
      if (opened) {
        opened.receive(document);
        return;
      }
      if (isOpened) throw new Error("more than one message");
      isOpened = true;
      socket.setTimeout(0);
      opened = this.#open(lines, OpeningMessage.parse(document), socket);
    };
    const lines = new LineSocket(socket, localLimits.toRuntimeBytes, receive, (why) => this.#deps.refused(why));
  }

  #open(lines: LineSocket, opening: OpeningMessage, socket: Socket): Receiver | undefined {
    if (opening.type === "agent") return this.#openAgent(lines, opening);
    if (opening.type === "media") return this.#openFile(lines, opening, socket);
    if (opening.type === "credential") answer(lines, this.#deps.credential(opening));
    else if (opening.type === "child") answer(lines, this.#deps.child(opening.request));
    else if (opening.type === "pullRequest") answer(lines, Promise.resolve(this.#deps.pullRequest(opening)));
    else if (opening.type === "tools") answer(lines, Promise.resolve({ status: 200, body: this.#deps.tools() }));
    else this.#openTransfer(lines, opening.transfer);
    return undefined;
  }

  #openFile(lines: LineSocket, opening: OfferedFile, socket: Socket): Receiver {
    const file = new IncomingFile({ lines, socket, bytes: opening.bytes });
    answer(
      lines,
      this.#deps.media(opening, () => file.content()),
    );
    return file;
  }

  #openTransfer(lines: LineSocket, name: string): void {
    const take = this.#transfers.get(name);
    if (!take) throw new Error("unknown transfer");
    this.#transfers.delete(name);
    take(lines.release());
  }

  #openAgent(lines: LineSocket, introduction: AgentIntroduction): AgentChannel | undefined {
    if (this.#hasAgent) {
      this.#deps.log.warn("Refused a second agent");
      this.#deps.refused("secondAgent");
      lines.destroy();
      return undefined;
    }
    this.#hasAgent = true;
    const channel = new AgentChannel(lines, introduction);
    this.#agent.resolve(channel);
    return channel;
  }
}

/** Takes the messages after the first one. */
interface Receiver {
  receive(document: unknown): void;
}

function answer(lines: LineSocket, answering: Promise<CredentialAnswer | ChildAnswer>): void {
  void answering.then((document) => {
    lines.send(document);
    lines.end();
  });
}
