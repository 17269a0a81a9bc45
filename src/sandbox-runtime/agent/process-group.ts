import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock, Timer } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Exited, RunCommand } from "../local/messages.ts";
import { localLimits } from "../local/messages.ts";
import { pieces } from "../local/pieces.ts";
import { errorCode } from "../log.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export interface GroupOptions {
  /** The container's own environment. */
  base: NodeJS.ProcessEnv;
  clock: Pick<Clock, "setTimeout">;
  /** Takes a piece of output; false when it calls `resume` later, once there is room again. */
  output: (stream: "stdout" | "stderr", text: string, resume: () => void) => boolean;
}

/** Between SIGTERM and SIGKILL, in milliseconds. */
const killMs = 5_000;
/** How long output may follow a command's exit, in milliseconds. */
const drainMs = 2_000;

/** A command in its own session and process group, so that all processes that it starts can be ended with it. */
export class ProcessGroup {
  /** Resolves when the command has exited and its output was read; never rejects. */
  readonly ended: Promise<Exited>;
  readonly #child: Child;
  readonly #options: GroupOptions;
  #forwards = true;
  #killTimer: Timer | undefined;

  /** @throws Error for a command that cannot be spawned, such as one with a NUL in an argument */
  constructor(command: RunCommand, options: GroupOptions) {
    const [program = "", ...args] = command.command;
    this.#options = options;
    this.#child = spawn(program, args, {
      cwd: command.cwd,
      env: { ...options.base, ...command.env, PWD: command.cwd },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    // A broken pipe: the command does not read all of its input, which it need not.
    this.#child.stdin.on("error", () => undefined);
    if (command.keepsInput) this.#child.stdin.write(command.input ?? "");
    else this.#child.stdin.end(command.input ?? "");
    this.#forward("stdout");
    this.#forward("stderr");
    this.ended = this.#follow(command.keepsChildren);
  }

  /** Writes to the standard input of a command with `keepsInput`. */
  write(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Sends SIGTERM to the group, and SIGKILL after 5 s. */
  kill(): void {
    this.#signal("SIGTERM");
    this.#killTimer ??= this.#options.clock.setTimeout(() => this.#signal("SIGKILL"), killMs);
  }

  /** Sends SIGKILL to the group. */
  killNow(): void {
    this.#signal("SIGKILL");
  }

  async #follow(keepsChildren: boolean): Promise<Exited> {
    const outputEnded = new AbortController();
    this.#child.once("close", () => outputEnded.abort());
    // Not "close": a background service of a hook holds the pipes open.
    const exited = await new Promise<Exited>((resolve) => {
      this.#child.once("error", (error) => resolve({ code: null, signal: null, error: errorCode(error) }));
      this.#child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.#killTimer?.cancel();
    const staysUp = keepsChildren && exited.code === 0;
    if (!staysUp) this.killNow();
    if (exited.error === undefined) await sleep(this.#options.clock, staysUp ? 0 : drainMs, outputEnded.signal);
    // Reading goes on: a background service would block on a full pipe, and die of a closed one.
    this.#forwards = false;
    this.#child.stdout.resume();
    this.#child.stderr.resume();
    return exited;
  }

  #forward(stream: "stdout" | "stderr"): void {
    const source = this.#child[stream];
    const decoder = new StringDecoder("utf8");
    const pass = (text: string): void => {
      for (const piece of pieces(text, localLimits.outputUnits)) {
        if (!this.#forwards) return;
        const hasRoom = this.#options.output(stream, piece, () => source.resume());
        if (!hasRoom) source.pause();
      }
    };
    source.on("data", (chunk: Buffer) => pass(decoder.write(chunk)));
    source.on("end", () => pass(decoder.end()));
    source.on("error", () => undefined);
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group has ended.
    }
  }
}
