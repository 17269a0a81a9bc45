import type { PromptOutcome, PromptReference } from "../../api/runtime/messages.ts";
import { describeEnd, workingDirectory, type WorkContext } from "./work-context.ts";
import { ExecOutput } from "./exec-output.ts";
import { headOf, pushedSince } from "./git-state.ts";
import { OutputRelay } from "./output-relay.ts";

/**
 * One prompt in the `exec` protocol: the agent's command with the prompt on standard input. Its exit status is the
 * verdict; what it says of its work comes first, what git shows fills the gaps.
 */
export class PromptRun {
  /** Resolves with how it ended; never rejects. */
  readonly outcome: Promise<PromptOutcome>;
  readonly #context: WorkContext;
  readonly #prompt: PromptReference;
  readonly #cancelling = new AbortController();
  #kill: () => void = () => undefined;

  constructor(context: WorkContext, prompt: PromptReference, text: string) {
    this.#context = context;
    this.#prompt = prompt;
    this.outcome = this.#run(text);
  }

  /** Ends the agent and all it started. */
  cancel(): void {
    this.#cancelling.abort();
    this.#kill();
  }

  async #run(text: string): Promise<PromptOutcome> {
    const { agent, bundle, clock, log, publish, environment } = this.#context;
    const startMs = clock.monotonicMs();
    const isCancelled = (): boolean => this.#cancelling.signal.aborted;
    const cwd = workingDirectory(this.#context);
    const hasRepository = bundle.repositories.length > 0;
    const before = hasRepository ? await headOf(agent, cwd) : undefined;
    if (isCancelled()) return this.#cancelled();

    publish({ kind: "promptStarted", promptUid: this.#prompt.uid });
    const output = new ExecOutput();
    const relay = new OutputRelay({ source: "agent", promptUid: this.#prompt.uid }, { clock, publish });
    const command = { command: bundle.agent.command, cwd, env: { ...environment }, input: text, keepsChildren: false };
    const running = agent.run(command, (stream, piece) => {
      relay.take(stream, piece);
      if (stream === "stdout") output.take(piece);
    });
    this.#kill = () => running.kill();
    const end = await running.ended;
    relay.end();
    const durationMs = Math.round(clock.monotonicMs() - startMs);
    log.info("Agent ended", { code: end.code ?? undefined, signal: end.signal ?? undefined, durationMs });
    if (isCancelled()) return this.#cancelled();

    const pushed = hasRepository && !agent.isClosed ? await pushedSince(agent, cwd, before) : {};
    const result = { prompt: this.#prompt, ...pushed, ...output.end() };
    if (end.code === 0) return { ...result, verdict: "succeeded" };
    return { ...result, verdict: "failed", message: end.lost ? describeEnd(end) : `the agent ${describeEnd(end)}` };
  }

  #cancelled(): PromptOutcome {
    return { prompt: this.#prompt, verdict: "cancelled" };
  }
}
