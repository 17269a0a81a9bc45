import { type AgentIntroduction, type Exited, FromAgent, type RunCommand, type ToAgent } from "./messages.ts";
import type { LineSocket } from "./line-socket.ts";
import { localLimits } from "./messages.ts";
import { pieces } from "./pieces.ts";

/** How a command ended; `lost`: the connection to the agent's container was lost before the command ended. */
export type Ended = Exited & { lost?: true };

export type Command = Omit<RunCommand, "type" | "id">;
export type OutputHandler = (stream: "stdout" | "stderr", text: string) => void;

/** A command that was sent to the agent's container. */
export interface RunningCommand {
  /** Never rejects. */
  readonly ended: Promise<Ended>;
  /** Writes to the standard input of a command with `keepsInput`; resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** Ends its process group. */
  kill(): void;
}

interface Waiting {
  output: OutputHandler;
  end: (ended: Ended) => void;
}

/** Runs commands in the agent's container. */
export class AgentChannel {
  readonly introduction: AgentIntroduction;
  readonly #lines: LineSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closed = Promise.withResolvers<undefined>();
  #lastId = 0;
  #isClosed = false;

  constructor(lines: LineSocket, introduction: AgentIntroduction) {
    this.introduction = introduction;
    this.#lines = lines;
    lines.onClose(() => this.#lose());
  }

  /** Resolves when the agent's container is gone. */
  get closed(): Promise<undefined> {
    return this.#closed.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(path: string, text: string, prefixFile?: string): void {
    this.#send({ type: "write", path, text, ...(prefixFile === undefined ? {} : { prefixFile }) });
  }

  /** Writes a file with its parent folders in place of one that is there; the status is 0 where that was done. Never rejects. */
  async writeFile(path: string, content: Buffer): Promise<Ended> {
    const { id, ended } = this.#ask(() => undefined);
    const length = localLimits.filePieceBytes;
    for (let at = 0; at === 0 || at < content.length; at += length) {
      const piece = content.subarray(at, at + length).toString("base64");
      const place = { isFirst: at === 0, isLast: at + length >= content.length };
      await this.#sendInTurn({ type: "piece", id, path, piece, ...place });
    }
    return ended;
  }

  run(command: Command, output: OutputHandler): RunningCommand {
    const { id, ended } = this.#ask(output);
    this.#send({ type: "run", id, ...command });
    return {
      ended,
      write: async (text) => {
        for (const piece of pieces(text, localLimits.inputUnits)) {
          await this.#sendInTurn({ type: "input", id, text: piece });
        }
      },
      kill: () => this.#send({ type: "kill", id }),
    };
  }

  shutDown(): void {
    this.#send({ type: "shutdown" });
  }

  /** Handles a message from the agent's container. @throws ZodError for anything else */
  receive(document: unknown): void {
    const message = FromAgent.parse(document);
    const waiting = this.#waiting.get(message.id);
    if (message.type === "output") {
      waiting?.output(message.stream, message.text);
      return;
    }
    this.#waiting.delete(message.id);
    const { code, signal, error } = message;
    waiting?.end({ code, signal, ...(error === undefined ? {} : { error }) });
  }

  /** An id that is answered by `exited`. */
  #ask(output: OutputHandler): { id: number; ended: Promise<Ended> } {
    const id = (this.#lastId += 1);
    const { promise, resolve } = Promise.withResolvers<Ended>();
    if (this.#isClosed) resolve(lost);
    else this.#waiting.set(id, { output, end: resolve });
    return { id, ended: promise };
  }

  /** Sends it, and waits until there is room for more. */
  async #sendInTurn(message: ToAgent): Promise<void> {
    if (!this.#send(message)) await new Promise<void>((resolve) => this.#lines.whenDrained(resolve));
  }

  #send(message: ToAgent): boolean {
    return this.#lines.send(message);
  }

  #lose(): void {
    this.#isClosed = true;
    for (const { end } of this.#waiting.values()) end(lost);
    this.#waiting.clear();
    this.#closed.resolve(undefined);
  }
}

const lost: Ended = { code: null, signal: null, lost: true };
