import { readFile, mkdir, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import { LineSocket } from "../local/line-socket.ts";
import { type AgentIntroduction, type FromAgent, localLimits, localSocketName, ToAgent } from "../local/messages.ts";
import { errorCode, type RuntimeLog } from "../log.ts";
import { ProcessGroup } from "./process-group.ts";

export interface AgentDeps {
  log: RuntimeLog;
  clock: Clock;
  socketDirectory: string;
  introduction: Omit<AgentIntroduction, "type">;
  /** The container's own environment. */
  environment: NodeJS.ProcessEnv;
  /** Ends the wait for the runtime. Once it is connected the runtime says when to end, as the workspace may have to be saved. */
  signal: AbortSignal;
}

const retryMs = 100;

/**
 * Runs the runtime's commands in the agent's container; resolves with the exit status: 0 after `shutdown` or the signal before there was a connection,
 * 1 when the connection was lost. This process gets no secret that hooks and agent may not have.
 */
export async function runAgent(deps: AgentDeps): Promise<number> {
  const socket = await connectWhenThere(deps);
  return socket ? new Agent(deps, socket).done : 0;
}

class Agent {
  readonly done: Promise<number>;
  readonly #deps: AgentDeps;
  readonly #lines: LineSocket;
  readonly #groups = new Map<number, ProcessGroup>();
  /** What went wrong with files of which more pieces come. */
  readonly #failedFiles = new Map<number, string>();
  /** Messages are handled in order, as commands need the files that were written before. */
  #order: Promise<void> = Promise.resolve();
  #isLeaving = false;

  constructor(deps: AgentDeps, socket: Socket) {
    this.#deps = deps;
    this.#lines = new LineSocket(socket, localLimits.toAgentBytes, (document) =>
      this.#receive(ToAgent.parse(document)),
    );
    this.done = new Promise((resolve) => {
      this.#lines.onClose(() => {
        this.#killAll();
        resolve(this.#isLeaving ? 0 : 1);
      });
    });
    this.#lines.send({ type: "agent", ...deps.introduction });
    deps.log.info("Connected to the runtime");
  }

  #receive(message: ToAgent): void {
    if (message.type === "shutdown") this.#leave();
    else this.#order = this.#order.then(() => this.#handle(message));
  }

  #handle(message: Exclude<ToAgent, { type: "shutdown" }>): void | Promise<void> {
    if (message.type === "write") return this.#write(message);
    if (message.type === "piece") return this.#writePiece(message);
    if (message.type === "run") this.#run(message);
    else if (message.type === "input") this.#groups.get(message.id)?.write(message.text);
    else this.#groups.get(message.id)?.kill();
  }

  async #write({ path, text, prefixFile }: Extract<ToAgent, { type: "write" }>): Promise<void> {
    try {
      const prefix = prefixFile === undefined ? "" : await readFile(prefixFile, "utf8").catch(() => "");
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, prefix + text);
    } catch (error) {
      this.#deps.log.warn("Could not write a file", { code: errorCode(error) });
    }
  }

  async #writePiece(message: Extract<ToAgent, { type: "piece" }>): Promise<void> {
    const { id, path, piece, isFirst, isLast } = message;
    try {
      if (isFirst) await mkdir(dirname(path), { recursive: true });
      if (!this.#failedFiles.has(id)) await writeFile(path, piece, { encoding: "base64", flag: isFirst ? "w" : "a" });
    } catch (error) {
      this.#failedFiles.set(id, errorCode(error));
    }
    if (!isLast) return;
    const error = this.#failedFiles.get(id);
    this.#failedFiles.delete(id);
    this.#send({ type: "exited", id, code: error === undefined ? 0 : null, signal: null, error });
  }

  #run(command: Extract<ToAgent, { type: "run" }>): void {
    const { id } = command;
    const { clock, environment, log } = this.#deps;
    const startMs = clock.monotonicMs();
    try {
      const group = new ProcessGroup(command, {
        base: environment,
        clock,
        output: (stream, text, resume) => this.#output({ type: "output", id, stream, text }, resume),
      });
      this.#groups.set(id, group);
      void group.ended.then((exited) => {
        this.#groups.delete(id);
        this.#send({ type: "exited", id, ...exited });
        const durationMs = Math.round(clock.monotonicMs() - startMs);
        log.info("Command ended", {
          id,
          code: exited.code ?? undefined,
          signal: exited.signal ?? undefined,
          durationMs,
        });
      });
    } catch (error) {
      this.#send({ type: "exited", id, code: null, signal: null, error: errorCode(error) });
    }
  }

  #output(message: FromAgent, resume: () => void): boolean {
    const hasRoom = this.#send(message);
    if (!hasRoom) this.#lines.whenDrained(resume);
    return hasRoom;
  }

  #send(message: FromAgent): boolean {
    return this.#lines.send(message);
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#killAll();
    this.#lines.destroy();
  }

  #killAll(): void {
    for (const group of this.#groups.values()) group.killNow();
  }
}

/** Tries until the runtime's container listens; undefined when the signal is aborted before. */
async function connectWhenThere({ clock, socketDirectory, signal }: AgentDeps): Promise<Socket | undefined> {
  const path = join(socketDirectory, localSocketName);
  const isStopped = (): boolean => signal.aborted;
  while (!isStopped()) {
    const socket = connect(path);
    const isConnected = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (isConnected) return socket;
    await sleep(clock, retryMs, signal);
  }
  return undefined;
}
