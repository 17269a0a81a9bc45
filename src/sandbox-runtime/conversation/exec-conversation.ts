import { plainText } from "../../api/runtime/text.ts";
import { Redactor } from "../steps/redaction.ts";
import { describeAgentEnd, workingDirectory, type WorkContext } from "../steps/work-context.ts";
import type { AskedPrompt, Conversation, Turn, TurnEnd } from "./conversation.ts";
import { ExecOutput } from "./exec-output.ts";
import { findProgram } from "./find-program.ts";

/** Of what the agent wrote to standard error, as much as its last line may be in; in UTF-16 units. */
const keptUnits = 8_192;
/** Of the last line, as much as explains a failure. */
const shownCharacters = 300;

/**
 * The `exec` protocol: the agent's command for each prompt, with the prompt on standard input. Its exit status is the
 * verdict, which the last line of its standard error explains; {@link ExecOutput} reads what it says of its work.
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
    const { agent, bundle, environment, secrets } = this.#context;
    const cwd = workingDirectory(this.#context);
    const command = { command: bundle.agent.command, cwd, env: { ...environment }, input: text, keepsChildren: false };
    const output = new ExecOutput();
    // Before anything is cut: half a secret would not be found any more.
    const without = { stdout: new Redactor(secrets), stderr: new Redactor(secrets) };
    let errors = "";
    const running = agent.run(command, (stream, piece) => {
      relay.take(stream, piece);
      const text = without[stream].take(piece);
      if (stream === "stdout") output.take(text);
      else errors = (errors + text).slice(-keptUnits);
    });
    const ended = running.ended.then((end): TurnEnd => {
      output.take(without.stdout.end());
      if (end.code === 0) return { ...output.end(), verdict: "succeeded" };
      const why = lastLine(errors + without.stderr.end());
      const message = `${describeAgentEnd(end)}${why === "" ? "" : `: ${why}`}`;
      return { ...output.end(), verdict: "failed", message };
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

function lastLine(text: string): string {
  const lines = plainText(text, text.length).split("\n");
  return plainText(lines.map((line) => line.trim()).findLast((line) => line !== "") ?? "", shownCharacters);
}
