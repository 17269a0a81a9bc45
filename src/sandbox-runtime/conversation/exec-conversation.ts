import { ErrorTail } from "../output/error-tail.ts";
import { Redactor } from "../output/redaction.ts";
import { ImageError } from "../gateway/image-client.ts";
import { describeAgentEnd } from "../local/describe-end.ts";
import { errorCode } from "../log.ts";
import { workingDirectory, type WorkContext } from "../work-context.ts";
import type { AskedPrompt, Conversation, Turn, TurnEnd } from "./conversation.ts";
import { ExecOutput } from "./exec-output.ts";
import { findProgram } from "./find-program.ts";
import { writeImages } from "./image-files.ts";

type Relay = Parameters<Conversation["turn"]>[1];

/**
 * The `exec` protocol: runs the agent's command for each prompt, with the prompt on standard input; images are files that it
 * names. The exit status is the verdict, unless the agent's own result says that it failed; what that says, or the last
 * line of standard error or, where that has none, of standard output, explains a failure. {@link ExecOutput} reads standard output.
 */
export class ExecConversation implements Conversation {
  readonly #context: WorkContext;

  constructor(context: WorkContext) {
    this.#context = context;
  }

  open(): Promise<string | undefined> {
    return findProgram(this.#context);
  }

  /** A process that has ended says nothing more. */
  rest(): Promise<void> {
    return Promise.resolve();
  }

  turn({ text, images }: AskedPrompt, relay: Relay): Turn {
    const cancelling = new AbortController();
    const { signal } = cancelling;
    const work = async (): Promise<TurnEnd> => {
      if (images.length === 0) return this.#run(text, relay, signal);
      const shown = await writeImages(this.#context, images, signal);
      signal.throwIfAborted();
      return this.#run(text.trim() === "" ? shown : `${text}\n\n${shown}`, relay, signal);
    };
    const ended = work().catch((error: unknown): TurnEnd => {
      return { verdict: "failed", message: signal.aborted ? "the prompt was cancelled" : whyNot(error) };
    });
    return { ended, cancel: () => cancelling.abort() };
  }

  async #run(input: string, relay: Relay, signal: AbortSignal): Promise<TurnEnd> {
    const { agent, bundle, costs, environment, secrets } = this.#context;
    const cwd = workingDirectory(this.#context);
    const command = { command: bundle.agent.command, cwd, env: { ...environment }, input, keepsChildren: false };
    const output = new ExecOutput(costs.begin());
    // Before anything is cut: a part of a secret is not recognised.
    const redactor = new Redactor(secrets);
    const errors = new ErrorTail(secrets);
    const running = agent.run(command, (stream, piece) => {
      relay.take(stream, piece);
      if (stream === "stdout") output.take(redactor.take(piece));
      else errors.take(piece);
    });
    signal.addEventListener("abort", () => running.kill(), { once: true });
    const end = await running.ended;
    output.take(redactor.end());
    const { failure, trouble, isSilent, ...report } = output.end();
    const lastWords = errors.lines().length === 0 ? output.lastLine : undefined;
    const why = end.code === 0 ? failure : (failure ?? trouble ?? lastWords);
    if (why !== undefined) {
      const how = end.code === 0 ? "the agent ended with an error" : describeAgentEnd(end);
      return { ...report, verdict: "failed", message: `${how}: ${why}` };
    }
    if (end.code !== 0) return { ...report, verdict: "failed", message: errors.explain(describeAgentEnd(end)) };
    return { ...report, verdict: "succeeded", ...(isSilent && { message: silentMessage }) };
  }
}

const silentMessage = "the agent finished; its result line has no text for a summary";

/** Of what is not expected the kind alone: its text is for nobody outside. */
function whyNot(error: unknown): string {
  return error instanceof ImageError ? error.message : `the agent could not be run: ${errorCode(error)}`;
}
