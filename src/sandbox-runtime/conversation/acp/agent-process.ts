import {
  type AnyMessage,
  client,
  type ClientConnection,
  MessageTooLargeError,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk";
import type { z } from "zod";
import type { Random } from "../../../lib/random.ts";
import type { AgentChannel, Command, RunningCommand } from "../../local/agent-channel.ts";
import { describeAgentEnd } from "../../local/describe-end.ts";
import { ErrorTail } from "../../output/error-tail.ts";
import { messageLine } from "./message-line.ts";
import { Elicitation, PermissionRequest, type PermissionOption, readUpdate, type Update } from "./messages.ts";
import type { answerPermission } from "./permission.ts";

/** Bytes of the longest message of an agent; a longer one ends the connection, to protect the runtime's memory. */
export const longestMessageBytes = 8_388_608;

type Handlers = Pick<AgentProcessOptions, "update" | "answer" | "refused">;

export interface AgentProcessOptions {
  agent: Pick<AgentChannel, "run">;
  command: Command;
  random: Pick<Random, "uuid">;
  /** Values to redact. */
  secrets: readonly string[];
  onErrorOutput: (text: string) => void;
  update: (sessionId: string, update: Update) => void;
  answer: (options: readonly PermissionOption[]) => ReturnType<typeof answerPermission>;
  /** The agent has asked for something that it did not get, in its own words. */
  refused: (what: string) => void;
}

/** A running agent that speaks the Agent Client Protocol on standard input and output. */
export class AgentProcess {
  /** Resolves with the reason for people when the connection has ended; never rejects. */
  readonly ended: Promise<string>;
  readonly #running: RunningCommand;
  readonly #random: Pick<Random, "uuid">;
  readonly #connection: ClientConnection;
  readonly #errors: ErrorTail;
  #hasEnded = false;

  constructor({ agent, command, random, secrets, onErrorOutput, ...handlers }: AgentProcessOptions) {
    this.#random = random;
    this.#errors = new ErrorTail(secrets);
    const output = new TransformStream<string, string>();
    const writer = output.writable.getWriter();
    this.#running = agent.run(command, (stream, text) => {
      // Fails when the connection has ended, which `ended` reports.
      if (stream === "stdout") writer.write(text).catch(() => undefined);
      else {
        this.#errors.take(text);
        onErrorOutput(text);
      }
    });
    this.#connection = client({ name: "runwright" })
      .onRequest(
        methods.client.session.requestPermission,
        (params) => PermissionRequest.parse(params),
        ({ params }) => ({ outcome: permissionFor(params, handlers) }),
      )
      .onRequest(
        methods.client.elicitation.create,
        (params) => Elicitation.parse(params),
        ({ params }) => {
          handlers.refused(`an answer to "${params.message ?? ""}"`);
          return { action: "cancel" };
        },
      )
      .connect(this.#stream(output.readable, handlers));
    this.ended = this.#follow();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Rejects with the agent's error, or when the connection ends before the answer. */
  request(method: string, params: object): Promise<unknown> {
    return this.#connection.agent.request<unknown, object>(method, params);
  }

  notify(method: string, params: object): void {
    this.#connection.agent.notify<object>(method, params).catch(() => undefined);
  }

  kill(): void {
    this.#running.kill();
  }

  #stream(stdout: ReadableStream<string>, handlers: Handlers): ReturnType<typeof ndJsonStream> {
    // Only the reading half of the library's stream is used, for its limit; writing is done below, piece by piece.
    const lines = ndJsonStream(new WritableStream(), stdout.pipeThrough(new TextEncoderStream()), {
      maxMessageBytes: longestMessageBytes,
    });
    const writable = new WritableStream<AnyMessage>({ write: (message) => this.#write(message) });
    return { writable, readable: lines.readable.pipeThrough(divertMessages(handlers)) };
  }

  async #write(message: AnyMessage): Promise<void> {
    for (const piece of messageLine(message, this.#random)) await this.#running.write(piece);
  }

  async #follow(): Promise<string> {
    const exited = this.#running.ended.then((end) => {
      this.#connection.close();
      return describeAgentEnd(end);
    });
    const { signal, closed } = this.#connection;
    const unreadable = closed.then(() =>
      signal.reason instanceof MessageTooLargeError
        ? `the agent wrote a message of more than ${longestMessageBytes} bytes`
        : "the agent closed its output",
    );
    const why = await Promise.race([exited, unreadable]);
    this.#hasEnded = true;
    this.#running.kill();
    return this.#errors.explain(why);
  }
}

function permissionFor(
  { options, toolCall }: z.infer<typeof PermissionRequest>,
  { answer, refused }: Handlers,
): ReturnType<typeof answerPermission> {
  const given = answer(options);
  if (given.outcome === "cancelled") refused(`a permission for "${toolCall?.title ?? ""}"`);
  return given;
}

const answered: readonly string[] = [methods.client.session.requestPermission, methods.client.elicitation.create];

/**
 * Takes session updates out of the stream, as the library's schema is too strict for newer agents, and drops answers
 * whose id is not one of ours, which the library would print. Every request goes on, for the library answers those that it
 * does not know with an error, so that no agent waits.
 */
function divertMessages(handlers: Handlers): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform(message, controller) {
      const goesOn = "method" in message ? hear(message, handlers) : Number.isSafeInteger(message.id);
      if (goesOn) controller.enqueue(message);
    },
  });
}

/** Returns whether the library has to see the message, too. */
function hear(message: Extract<AnyMessage, { method: string }>, { update, refused }: Handlers): boolean {
  const isRequest = "id" in message;
  if (message.method === methods.client.session.update) {
    const read = readUpdate(message.params);
    if (read) update(read.sessionId, read.update);
    return isRequest;
  }
  if (isRequest && !answered.includes(message.method)) refused(`the method ${message.method}`);
  return true;
}
