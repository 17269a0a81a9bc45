import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setNewest } from "../../lib/set-newest.ts";
import { listenAt } from "../local/listen-at.ts";
import { type EndedPush, PushTrace } from "./push-trace.ts";

/** git processes that are listened to at once; others are not heard. */
const mostConnections = 64;
/** UTF-16 units of an event; a longer one ends the connection, which no git process minds. */
const longestEvent = 65_536;
/** Working trees of which the last push is remembered. */
const mostWorktrees = 64;

/** Where git processes tell what they do, in the directory that both containers share. */
export function pushWatchSocket(directory: string): string {
  return join(directory, "git-trace.sock");
}

/** Hears each `git push` end in the agent's container, as git's own trace tells it, whatever the agent says of it. */
export class PushWatch {
  readonly #path: string;
  readonly #last = new Map<string, EndedPush>();
  readonly #connections = new Set<Socket>();
  #server: Server | undefined;

  constructor(directory: string) {
    this.#path = pushWatchSocket(directory);
  }

  /** Resolves when it is listening. */
  async open(): Promise<void> {
    this.#server = createServer((socket) => this.#hear(socket));
    this.#server.maxConnections = mostConnections;
    await listenAt(this.#server, this.#path);
  }

  close(): void {
    this.#server?.close();
    for (const socket of this.#connections) socket.destroy();
  }

  /** The last push in each working tree since the last call. */
  take(): EndedPush[] {
    const last = [...this.#last.values()];
    this.#last.clear();
    return last;
  }

  #hear(socket: Socket): void {
    const trace = new PushTrace();
    let held = "";
    const read = (text: string): void => {
      const lines = (held + text).split("\n");
      held = lines.pop() ?? "";
      for (const line of lines) {
        const push = trace.take(line);
        if (push === "other") {
          ignore();
          return;
        }
        if (push) setNewest(this.#last, push.worktree, push, mostWorktrees);
      }
      if (held.length > longestEvent) socket.destroy();
    };
    // What is not read would hold git up.
    const ignore = (): void => void socket.off("data", read).resume();
    this.#connections.add(socket);
    socket.setEncoding("utf8");
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#connections.delete(socket));
    socket.on("data", read);
  }
}
