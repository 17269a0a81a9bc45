import type { PromptOutcome, PromptReference } from "../../api/runtime/messages.ts";
import type { AskedPrompt, Conversation, TurnEnd } from "../conversation/conversation.ts";
import type { CostMeter } from "../conversation/cost-meter.ts";
import { headOf, pushedSince } from "../git/git-state.ts";
import { OutputRelay } from "../output/output-relay.ts";
import { workingDirectory, type WorkContext } from "../work-context.ts";

export type PromptContent = Omit<AskedPrompt, "uid">;

/** One prompt: a turn of the conversation. Branch and commit come from the agent, else from git. */
export class PromptRun {
  /** Never rejects. */
  readonly outcome: Promise<PromptOutcome>;
  readonly #prompt: PromptReference;
  readonly #cancelling = new AbortController();

  constructor(
    context: WorkContext,
    conversation: Conversation,
    { prompt, ...content }: PromptContent & { prompt: PromptReference },
  ) {
    this.#prompt = prompt;
    this.outcome = this.#run(context, conversation, content);
  }

  /** Ends the agent's turn. */
  cancel(): void {
    this.#cancelling.abort();
  }

  async #run(context: WorkContext, conversation: Conversation, content: PromptContent): Promise<PromptOutcome> {
    const { agent, bundle, clock, costs, log, publish, secrets } = context;
    const startMs = clock.monotonicMs();
    const { signal } = this.#cancelling;
    const isCancelled = (): boolean => signal.aborted;
    const cwd = workingDirectory(context);
    const hasRepository = bundle.repositories.length > 0;
    const head = hasRepository ? await headOf(context, cwd) : undefined;
    if (isCancelled()) return this.#cancelled();

    const { uid } = this.#prompt;
    publish({ kind: "promptStarted", promptUid: uid });
    const before = costs.reading;
    const relay = new OutputRelay({ source: "agent", promptUid: uid }, { clock, publish, secrets });
    const turn = conversation.turn({ uid, ...content }, relay);
    signal.addEventListener("abort", () => turn.cancel(), { once: true });
    const end = await turn.ended;
    relay.end();
    log.info("Turn ended", { verdict: end.verdict, durationMs: Math.round(clock.monotonicMs() - startMs) });
    const usage = usageOf(end, { before, after: costs.reading });
    if (isCancelled()) return { ...this.#cancelled(), usage };

    const pushed = hasRepository && !agent.isClosed ? await pushedSince(context, cwd, head) : {};
    return { prompt: this.#prompt, ...pushed, ...end, usage };
  }

  #cancelled(): PromptOutcome {
    return { prompt: this.#prompt, verdict: "cancelled" };
  }
}

type Reading = CostMeter["reading"];

function usageOf(
  { usage: tokens }: TurnEnd,
  { before, after }: { before: Reading; after: Reading },
): PromptOutcome["usage"] {
  if (after.reports === before.reports) return tokens;
  // Whole millionths: the difference of two numbers may be off by less.
  const costUsd = Number((after.costUsd - before.costUsd).toFixed(6));
  return { ...tokens, costUsd, sandboxCostUsd: after.costUsd };
}
