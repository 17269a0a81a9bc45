import { describeAgentEnd, workingDirectory, type WorkContext } from "../steps/work-context.ts";
import type { AskedPrompt, Conversation, Turn, TurnEnd } from "./conversation.ts";
import { ExecOutput } from "./exec-output.ts";
import { findProgram } from "./find-program.ts";

/**
 * The `exec` protocol: the agent's command for each prompt, with the prompt on standard input. Its exit status is the
 * verdict; {@link ExecOutput} reads what it says of its work.
 */
export class ExecConversation implements Conversation {
  readonly #context: WorkContext;

  constructor(context: WorkContext) {
    this.#context = context;
  }

  open(): Promise<string | undefined> {
    return findProgram(this.#context);
  }

  turn({ text, images }: AskedPrompt, relay: Parameters<Conversation["turn"]>[1]): Turn {
    if (images.length > 0) return { ended: Promise.resolve(takesNoImages), cancel: () => undefined };
    const { agent, bundle, environment } = this.#context;
    const cwd = workingDirectory(this.#context);
    const command = { command: bundle.agent.command, cwd, env: { ...environment }, input: text, keepsChildren: false };
    const output = new ExecOutput();
    const running = agent.run(command, (stream, piece) => {
      relay.take(stream, piece);
      if (stream === "stdout") output.take(piece);
    });
    const ended = running.ended.then((end): TurnEnd => {
      if (end.code === 0) return { ...output.end(), verdict: "succeeded" };
      return { ...output.end(), verdict: "failed", message: describeAgentEnd(end) };
    });
    return { ended, cancel: () => running.kill() };
  }
}

/** Standard input is text alone, and an agent that answered without the images would answer something else. */
const takesNoImages: TurnEnd = {
  verdict: "failed",
  message:
    "the prompt has images, and an agent of protocol exec is given text alone: use an agent of protocol acp that takes images, or ask without them",
};
