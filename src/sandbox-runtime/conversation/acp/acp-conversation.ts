import { methods, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { protocolLimits } from "../../../api/runtime/limits.ts";
import { plainText } from "../../../api/runtime/text.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";
import { OutputRelay } from "../../output/output-relay.ts";
import { workingDirectory, type WorkContext } from "../../work-context.ts";
import type { AskedPrompt, Conversation, Turn, TurnEnd } from "../conversation.ts";
import type { CostCount } from "../cost-meter.ts";
import { ImageError } from "../../gateway/image-client.ts";
import { findProgram } from "../find-program.ts";
import { AgentProcess } from "./agent-process.ts";
import { Base64 } from "./message-line.ts";
import { Initialized, NewSession, PromptResult, type Update } from "./messages.ts";
import { toolsServer } from "./tools-server.ts";
import { answerPermission } from "./permission.ts";
import { readConversation, type SavedConversation, writeConversation } from "./saved-conversation.ts";
import { Reply } from "./reply.ts";
import { Silence } from "./silence.ts";
import { ToolTurns } from "./tool-turns.ts";

/** How long an agent may take to end a cancelled turn before its process is killed, in milliseconds. */
export const cancelMs = 10_000;

type Content = Omit<AskedPrompt, "uid"> & { signal: AbortSignal };
type Output = Parameters<Conversation["turn"]>[1];

/** A turn that runs, or the last one, as the agent may have more to say in it. */
interface Current {
  uid: string;
  reply: Reply;
  output: Output;
  isCancelled: boolean;
}

/**
 * The Agent Client Protocol, version 1: one agent process and one conversation for all prompts of the session. A process
 * that is started after another one, in this sandbox or a former one, loads the conversation if it can. One that cannot
 * gets the turns of former sandboxes before its first prompt. What the agent says after its answer is of the turn that it
 * answered: at first of its summary, then of the session's events alone. What becomes of a tool call is of the turn that began it.
 */
export class AcpConversation implements Conversation {
  readonly #context: WorkContext;
  #process: AgentProcess | undefined;
  /** The conversation of this process; empty while there is none, or it is being loaded. */
  #sessionId = "";
  /** The conversation to load. */
  #known: SavedConversation | undefined;
  /** What this conversation lacks of the former ones. */
  #unsaid: string[] = [];
  #takesImages = false;
  /** The agent's own count of this conversation's cost. */
  #costs: CostCount;
  #current: Current | undefined;
  #former: (Current & { output: OutputRelay }) | undefined;
  #silence: Silence;
  /** A tool may go on in the background while later turns come and go. */
  readonly #tools = new ToolTurns<Reply>();

  constructor(context: WorkContext) {
    this.#context = context;
    this.#costs = context.costs.begin();
    this.#silence = new Silence(context.clock);
  }

  async open(): Promise<string | undefined> {
    const missing = await findProgram(this.#context);
    if (missing !== undefined) return missing;
    try {
      if (this.#context.mode === "snapshot_restore") await this.#recall();
      await this.#start();
      return undefined;
    } catch (error) {
      return problem(error);
    }
  }

  async rest(signal: AbortSignal): Promise<void> {
    const process = this.#process;
    if (process?.hasEnded === false) await Promise.race([this.#silence.beforeNext(signal), process.ended]);
  }

  turn({ uid, text, images }: AskedPrompt, output: Output): Turn {
    this.#former?.output.end();
    this.#former = undefined;
    const reply = new Reply({
      promptUid: uid,
      secrets: this.#context.secrets,
      say: (text) => current.output.take("stdout", text),
      publish: this.#context.publish,
    });
    const current: Current = { uid, reply, output, isCancelled: false };
    const cancelling = new AbortController();
    this.#current = current;
    return {
      ended: this.#converse({ text, images, signal: cancelling.signal }, current).finally(() => this.#leave(current)),
      cancel: () => {
        current.isCancelled = true;
        cancelling.abort();
        this.#cancel(current);
      },
    };
  }

  /** What the agent says from now on becomes events of the prompt, and nothing else of it. */
  #leave(current: Current): void {
    this.#current = undefined;
    this.#former = Object.assign(current, {
      output: new OutputRelay({ source: "agent", promptUid: current.uid }, this.#context),
    });
    this.#remember();
  }

  async #converse(asked: Content, current: Current): Promise<TurnEnd> {
    const { reply } = current;
    try {
      const process = this.#process?.hasEnded === false ? this.#process : await this.#start();
      asked.signal.throwIfAborted();
      const images = asked.images.length === 0 ? [] : await this.#imageBlocks(asked);
      asked.signal.throwIfAborted();
      const text = [...this.#unsaid, asked.text].join("\n\n");
      this.#unsaid = [];
      // A prompt of images may have no text.
      const prompt = text.trim() === "" && images.length > 0 ? images : [{ type: "text", text }, ...images];
      const answer = orEnd(
        process,
        process.request(methods.agent.session.prompt, { sessionId: this.#sessionId, prompt }),
      );
      const result = PromptResult.parse(await answer.finally(() => this.#silence.answered()));
      await Promise.race([this.#silence.afterAnswer(asked.signal), process.ended]);
      return { ...reply.end(result), usage: result.usage ?? undefined };
    } catch (error) {
      return { verdict: "failed", message: problem(error) };
    }
  }

  async #imageBlocks({ images, signal }: Content): Promise<object[]> {
    if (!this.#takesImages) throw new AgentError(takesNoImages);
    const blocks: object[] = [];
    for (const image of images) {
      const data = new Base64(await this.#context.images.read(image, signal));
      blocks.push({ type: "image", mimeType: image.mediaType, data });
    }
    return blocks;
  }

  #cancel(turn: Current): void {
    const process = this.#process;
    process?.notify(methods.agent.session.cancel, { sessionId: this.#sessionId });
    this.#context.clock.setTimeout(() => {
      if (this.#current === turn) process?.kill();
    }, cancelMs);
  }

  /** Starts the agent; once more, without the conversation, where it cannot load it. */
  async #start(): Promise<AgentProcess> {
    const known = this.#known;
    try {
      return await this.#launch();
    } catch (error) {
      if (this.#known === known) throw error;
      return this.#launch();
    }
  }

  async #launch(): Promise<AgentProcess> {
    const { agent, bundle, environment, random, secrets } = this.#context;
    const cwd = workingDirectory(this.#context);
    const process = new AgentProcess({
      agent,
      random,
      secrets,
      command: { command: bundle.agent.command, cwd, env: { ...environment }, keepsChildren: false, keepsInput: true },
      onErrorOutput: (text) => (this.#current ?? this.#former)?.output.take("stderr", text),
      update: (sessionId, update) => this.#receive(sessionId, update),
      answer: (options) =>
        this.#current?.isCancelled === false
          ? answerPermission(options, bundle.agent.permissionRequests ?? "Allow")
          : { outcome: "cancelled" },
      refused: (what) => {
        if (this.#current?.isCancelled === false) this.#current.reply.refused(what);
      },
    });
    this.#process = process;
    this.#silence = new Silence(this.#context.clock);
    try {
      await this.#introduce(process, cwd);
      return process;
    } catch (error) {
      process.kill();
      this.#process = undefined;
      throw error;
    }
  }

  async #introduce(process: AgentProcess, cwd: string): Promise<void> {
    const initialize = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {}, clientInfo };
    const { protocolVersion, agentCapabilities } = Initialized.parse(
      await orEnd(process, process.request(methods.agent.initialize, initialize)),
    );
    if (protocolVersion !== PROTOCOL_VERSION) {
      throw new AgentError(`the agent speaks version ${protocolVersion} of its protocol and not ${PROTOCOL_VERSION}`);
    }
    this.#takesImages = agentCapabilities.promptCapabilities.image;
    await this.#enter(process, { cwd, canLoad: agentCapabilities.loadSession });
  }

  /** Loads the conversation if the agent can, or begins a new one. */
  async #enter(process: AgentProcess, { cwd, canLoad }: { cwd: string; canLoad: boolean }): Promise<void> {
    const mcpServers = [toolsServer(this.#context)];
    const known = this.#known;
    // While it loads, the agent repeats the old updates, which must be ignored.
    this.#sessionId = "";
    if (known && canLoad) {
      const { sessionId } = known;
      // Unless it succeeds, the conversation is not tried again.
      this.#known = undefined;
      await orEnd(process, process.request(methods.agent.session.load, { sessionId, cwd, mcpServers }));
      await this.#repeated(process);
      this.#costs = this.#context.costs.begin(known.costUsd);
      this.#sessionId = sessionId;
      this.#known = known;
      return;
    }
    const made = await orEnd(process, process.request(methods.agent.session.new, { cwd, mcpServers }));
    this.#sessionId = NewSession.parse(made).sessionId;
    const { earlierTurns } = this.#context.bundle;
    this.#unsaid = earlierTurns === undefined ? [] : [earlierTurns];
    this.#costs = this.#context.costs.begin();
  }

  /** Some agents answer before they have repeated all of a conversation that they load. */
  async #repeated(process: AgentProcess): Promise<void> {
    this.#silence.answered();
    await Promise.race([this.#silence.afterAnswer(new AbortController().signal), process.ended]);
  }

  async #recall(): Promise<void> {
    this.#known = await readConversation(this.#context);
  }

  #remember(): void {
    if (this.#sessionId === "") return;
    const said = { sessionId: this.#sessionId, costUsd: this.#costs.costUsd };
    if (jsonEqual(said, this.#known)) return;
    this.#known = said;
    writeConversation(this.#context, said);
  }

  #receive(sessionId: string, update: Update): void {
    const isLoading = this.#sessionId === "";
    if (isLoading || sessionId === this.#sessionId) this.#silence.heard();
    if (sessionId !== this.#sessionId) return;
    const reply = (this.#current ?? this.#former)?.reply;
    if (update.sessionUpdate !== "usage_update") this.#tools.turnOf(update, reply)?.take(update);
    else if (update.cost?.currency === "USD") this.#count(update.cost.amount);
  }

  #count(costUsd: unknown): void {
    this.#costs.take(costUsd);
    // The end of a turn remembers what was reported in it.
    if (!this.#current) this.#remember();
  }
}

const takesNoImages =
  "the prompt has images, and the agent takes none: it does not announce the prompt capability image; use an agent that does, or ask without them";
const clientInfo = { name: "runwright", version: "1" };

/** The agent cannot be used; the message is for people. */
class AgentError extends Error {
  override readonly name = "AgentError";
}

/** The answer. @throws AgentError with the reason when the agent ended first */
async function orEnd(process: AgentProcess, answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new AgentError(await process.ended);
  }
}

function problem(error: unknown): string {
  if (error instanceof AgentError || error instanceof ImageError) return error.message;
  if (error instanceof z.ZodError) return "the agent answered with something that is not of its protocol";
  if (!(error instanceof RequestError)) return "the agent could not be spoken to";
  const said = plainText(error.message, protocolLimits.messageCharacters / 2);
  return error.code === RequestError.authRequired().code
    ? `the agent wants to be logged in (${said}): give it its key as a secret or in its configuration`
    : `the agent said: ${said}`;
}
