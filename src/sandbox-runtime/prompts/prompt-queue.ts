import type { ChildAnswer } from "../../api/runtime/children.ts";
import type { PromptOutcome, PromptReference, PullRequestText } from "../../api/runtime/messages.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { OfferedFile } from "../local/incoming-file.ts";
import { type PromptContent, PromptRun } from "./prompt-run.ts";
import type { WorkContext } from "../work-context.ts";

type State =
  | { state: "waiting"; prompt: PromptReference; content: PromptContent }
  | { state: "running"; prompt: PromptReference; run: PromptRun }
  | { state: "ended"; prompt: PromptReference; outcome: PromptOutcome };

const noPrompt = { status: 409, body: { error: "no prompt is being processed", code: "NoPrompt" } };
/** Number of ended prompts that are remembered, in case the gateway sends one again. */
const remembered = 64;

/**
 * Runs this sandbox's prompts one after the other, each once however often it is sent. They wait for the end of boot; a
 * failed boot fails them.
 */
export class PromptQueue {
  readonly #known = new Map<string, State>();
  readonly #report: (outcome: PromptOutcome) => void;
  #boot: { context: WorkContext; conversation: Conversation } | { failed: string } | undefined;

  constructor(report: (outcome: PromptOutcome) => void) {
    this.#report = report;
  }

  /** Whether boot has succeeded. */
  get isReady(): boolean {
    return this.#boot !== undefined && "context" in this.#boot;
  }

  /** Prompts that have come and not ended. */
  get open(): PromptReference[] {
    return [...this.#known.values()].filter(({ state }) => state !== "ended").map(({ prompt }) => prompt);
  }

  add(prompt: PromptReference, content: PromptContent): void {
    const known = this.#known.get(prompt.uid);
    // The gateway lost our report; send it again.
    if (known?.state === "ended") this.#report(known.outcome);
    if (known) return;
    this.#known.set(prompt.uid, { state: "waiting", prompt, content });
    this.#next();
  }

  cancel(uid: string): void {
    const known = this.#known.get(uid);
    if (known?.state === "running") known.run.cancel();
    if (known?.state === "waiting") this.#end({ prompt: known.prompt, verdict: "cancelled" });
  }

  /** Notes what the agent wants of the branch that it pushes during the prompt that runs. */
  wantPullRequest(text: PullRequestText): ChildAnswer {
    return this.#running?.wantPullRequest(text) ?? noPrompt;
  }

  /** Attaches a file to the answer of the prompt that runs; never rejects. */
  async attach(file: OfferedFile, content: () => Promise<Buffer>): Promise<ChildAnswer> {
    return (await this.#running?.attach(file, content)) ?? noPrompt;
  }

  /** Cancels all prompts; resolves when none is running. */
  async stop(): Promise<void> {
    const running = [...this.#known.values()].flatMap((known) =>
      known.state === "running" ? [known.run.outcome] : [],
    );
    for (const { uid } of this.open) this.cancel(uid);
    await Promise.all(running);
  }

  /** Lets prompts begin. */
  booted(context: WorkContext, conversation: Conversation): void {
    this.#boot = { context, conversation };
    this.#next();
  }

  /** Fails all prompts, also later ones. */
  bootFailed(message: string): void {
    this.#boot = { failed: message };
    this.#next();
  }

  /** The run whose agent is at work. */
  get #running(): PromptRun | undefined {
    const run = [...this.#known.values()].find((known) => known.state === "running")?.run;
    return run?.isAsked === true ? run : undefined;
  }

  #next(): void {
    const states = [...this.#known.values()];
    const waiting = states.find((known) => known.state === "waiting");
    if (!this.#boot || !waiting || states.some(({ state }) => state === "running")) return;
    const { prompt, content } = waiting;
    if ("failed" in this.#boot) {
      this.#end({ prompt, verdict: "failed", message: `boot failed: ${this.#boot.failed}` });
      return;
    }
    const run = new PromptRun(this.#boot.context, this.#boot.conversation, { ...content, prompt });
    this.#known.set(prompt.uid, { state: "running", prompt, run });
    void run.outcome.then((outcome) => this.#end(outcome));
  }

  #end(outcome: PromptOutcome): void {
    const { prompt } = outcome;
    // Moves it to the end of the map, so that the oldest are forgotten first.
    this.#known.delete(prompt.uid);
    this.#known.set(prompt.uid, { state: "ended", prompt, outcome });
    const ended = [...this.#known.values()].filter(({ state }) => state === "ended");
    for (const { prompt: old } of ended.slice(0, -remembered)) this.#known.delete(old.uid);
    this.#report(outcome);
    this.#next();
  }
}
