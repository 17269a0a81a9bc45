import type { ChildAnswer } from "../../api/runtime/children.ts";
import type { PromptOutcome, PromptReference, PullRequestText } from "../../api/runtime/messages.ts";
import { mostPushes } from "../../api/v1alpha1/outcome.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainText } from "../../api/runtime/text.ts";
import { plainPullRequestText } from "../../api/runtime/pull-request-text.ts";
import { cutMiddle } from "../../lib/characters.ts";
import type { AskedPrompt, Conversation, TurnEnd } from "../conversation/conversation.ts";
import type { CostMeter } from "../conversation/cost-meter.ts";
import { type CheckoutState, pushesSince, stateOf } from "../git/pushes.ts";
import { whyRefused } from "../git/refused-push.ts";
import type { OfferedFile } from "../local/incoming-file.ts";
import { AttachedMedia } from "../media/attached-media.ts";
import { OutputRelay } from "../output/output-relay.ts";
import { checkoutOf, type WorkContext } from "../work-context.ts";

export type PromptContent = Omit<AskedPrompt, "uid">;

/** One prompt: a turn of the conversation. Branch and commit come from the agent, else from git. */
export class PromptRun {
  /** Never rejects. */
  readonly outcome: Promise<PromptOutcome>;
  readonly #prompt: PromptReference;
  readonly #cancelling = new AbortController();
  readonly #media: AttachedMedia;
  #pullRequest: PullRequestText | undefined;
  #isAsked = false;

  constructor(
    context: WorkContext,
    conversation: Conversation,
    { prompt, ...content }: PromptContent & { prompt: PromptReference },
  ) {
    this.#prompt = prompt;
    this.#media = new AttachedMedia(prompt.uid, context.media);
    this.outcome = this.#run(context, conversation, content);
  }

  /** Whether what the agent does now can be for this prompt. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Ends the agent's turn. */
  cancel(): void {
    this.#cancelling.abort();
  }

  /** Has the outcome ask for a pull request, where it has a branch; the last text counts. */
  wantPullRequest(given: PullRequestText): ChildAnswer {
    const text = plainPullRequestText(given);
    if (!text) return blankTitle;
    this.#pullRequest = text;
    return { status: 202, body: { note: "it is asked for when this prompt ends, where a branch was pushed by then" } };
  }

  /** Attaches a file to the answer; never rejects. */
  attach(file: OfferedFile, content: () => Promise<Buffer>): Promise<ChildAnswer> {
    return this.#media.attach(file, content);
  }

  async #run(context: WorkContext, conversation: Conversation, content: PromptContent): Promise<PromptOutcome> {
    const { agent, clock, costs, log, publish, secrets } = context;
    const startMs = clock.monotonicMs();
    const { signal } = this.#cancelling;
    const isCancelled = (): boolean => signal.aborted;
    const checkouts = await checkoutsOf(context);
    context.pushWatch.take();
    await conversation.rest(signal);
    if (isCancelled()) return this.#cancelled();

    const { uid } = this.#prompt;
    this.#isAsked = true;
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

    const pushed = agent.isClosed ? {} : await pushedFrom(context, checkouts);
    const refused = agent.isClosed ? [] : await refusedPushes(context, checkouts);
    const media = this.#media.report;
    const outcome = { prompt: this.#prompt, ...pushed, ...withRefusals(end, refused), usage, ...(media && { media }) };
    return { ...outcome, ...(outcome.branch !== undefined && this.#pullRequest && { pullRequest: this.#pullRequest }) };
  }

  #cancelled(): PromptOutcome {
    return { prompt: this.#prompt, verdict: "cancelled" };
  }
}

interface Checkout {
  repository: string;
  directory: string;
  before: CheckoutState;
}

function checkoutsOf(context: WorkContext): Promise<Checkout[]> {
  return Promise.all(
    context.bundle.repositories.map(async (repository) => {
      const directory = checkoutOf(context, repository);
      return { repository: repository.name, directory, before: await stateOf(context, directory) };
    }),
  );
}

/** All that was pushed; of the primary repository it is the result's branch. */
async function pushedFrom(
  context: WorkContext,
  checkouts: readonly Checkout[],
): Promise<Pick<PromptOutcome, "branch" | "commit" | "pushes">> {
  const found = await Promise.all(
    checkouts.map(async ({ repository, directory, before }) => {
      const pushes = await pushesSince(context, directory, before);
      return pushes.map((push) => ({ repository, ...push }));
    }),
  );
  const pushes = found.flat().slice(0, mostPushes);
  const primary = found[0]?.[0];
  return {
    ...(primary && { branch: primary.branch, commit: primary.commit }),
    ...(pushes.length > 0 && { pushes }),
  };
}

/** What is said of working trees whose last push the server did not take. */
async function refusedPushes(context: WorkContext, checkouts: readonly Checkout[]): Promise<string[]> {
  const refused = context.pushWatch.take().filter(({ succeeded }) => !succeeded);
  return Promise.all(
    refused.slice(0, mostExplained).map(async (push) => {
      const known = checkouts.find(({ directory }) => directory === push.worktree);
      const where = known ? `repository ${known.repository}` : plainText(push.worktree, 256);
      return `its last git push in ${where} was refused: ${await whyRefused(context, push, context.secrets)}`;
    }),
  );
}

/** Of working trees; a message has no room for more. */
const mostExplained = 3;

function withRefusals(end: TurnEnd, refused: readonly string[]): TurnEnd {
  if (refused.length === 0) return end;
  const { message = end.verdict === "succeeded" ? "the agent finished" : "the agent failed" } = end;
  return { ...end, message: cutMiddle([message, ...refused].join("; "), protocolLimits.messageCharacters) };
}

const blankTitle = { status: 400, body: { error: "the title must not be blank", code: "InvalidRequest" } };

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
