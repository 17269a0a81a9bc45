import { type AgentApp, type AgentConnection, ndJsonStream } from "@agentclientprotocol/sdk";
import type { Command, Ended, OutputHandler, RunningCommand } from "../../local/agent-channel.ts";

/** One start of the agent in a test. */
export interface FakeStart {
  command: Command;
  connection: AgentConnection;
  /** Writes to standard output outside the protocol. */
  print: (text: string) => void;
  /** Writes to standard error. */
  complain: (text: string) => void;
  end: (ended: Ended) => void;
  kills: number;
  /** Ids of answers to what was printed; the library has numbers for its own. */
  answers: unknown[];
}

/** An agent's container whose agent is an app of the protocol's own library; other commands print the file that they name. */
export class FakeContainer {
  readonly starts: FakeStart[] = [];
  readonly introduction = {
    type: "agent",
    workspace: "/w",
    home: "/h",
    program: ["/x"],
    credentialHelper: "",
    systemCaFile: "",
  } as const;
  readonly isClosed = false;
  readonly #make: () => AgentApp;

  /** `make` makes the agent of the next start. */
  constructor(make: () => AgentApp) {
    this.#make = make;
  }

  /** By path. */
  readonly files = new Map<string, string>();

  readonly write = (path: string, text: string): void => void this.files.set(path, text);

  readonly writeFile = (): Promise<Ended> => Promise.reject(new Error("not asked for"));

  readonly run = (command: Command, output: OutputHandler): RunningCommand => {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    if (!command.keepsInput) {
      output("stdout", this.files.get(command.command.at(-1) ?? "") ?? "");
      resolve({ code: 0, signal: null });
      return { ended: promise, write: () => Promise.resolve(), kill: () => undefined };
    }
    const input = new TransformStream<string, string>();
    const writer = input.writable.getWriter();
    const decoder = new TextDecoder();
    const stdout = new WritableStream<Uint8Array>({
      write: (bytes) => output("stdout", decoder.decode(bytes, { stream: true })),
    });
    const connection = this.#make().connect(ndJsonStream(stdout, input.readable.pipeThrough(new TextEncoderStream())));
    const start: FakeStart = {
      command,
      connection,
      print: (text) => output("stdout", text),
      complain: (text) => output("stderr", text),
      end: (ended) => {
        connection.close();
        resolve(ended);
      },
      kills: 0,
      answers: [],
    };
    this.starts.push(start);
    return {
      ended: promise,
      write: (text) => {
        const ids = idsIn(text);
        start.answers.push(...ids);
        return ids.length > 0 ? Promise.resolve() : writer.write(text).catch(() => undefined);
      },
      kill: () => {
        start.kills += 1;
        start.end({ code: null, signal: "SIGTERM" });
      },
    };
  };
}

function idsIn(text: string): string[] {
  return Array.from(text.matchAll(/"id":"([^"]*)"/g), ([, id = ""]) => id);
}
