import type { GatewayMessage, PromptReference } from "../../api/runtime/messages.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Attempt } from "../attempts/attempt.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import type { Link } from "./link.ts";
import { planConnection } from "./plan.ts";

/** Milliseconds between tries. */
const retryMs = { first: 250, longest: 5_000 };

interface OrdersDeps extends Pick<ConnectionDeps, "prompts" | "session" | "logger"> {
  attempt: Attempt;
  link: Pick<Link, "send" | "after">;
  /** Whether the runtime takes orders. */
  isWelcome: () => boolean;
  /** Called when the attempt has ended by the session's status. */
  shutDown: (reason: string) => void;
  /** Called when orders could not be sent; they are tried again. */
  failed: (error: unknown) => void;
}

/** Sends the runtime what its session's status orders: prompts, one at a time, and the cancellation of settled ones. */
export class Orders {
  readonly #deps: OrdersDeps;
  /** UIDs of prompts that the runtime has received. */
  readonly #sent = new Set<string>();
  /** Those that it has not finished. */
  readonly #open = new Map<string, PromptReference>();
  readonly #cancelled = new Set<string>();
  #longestText: number = protocolLimits.earlierPromptCharacters;
  #sentTunnels = false;
  #isSaving = false;
  #acting: "no" | "yes" | "again" = "no";
  #failures = 0;

  constructor(deps: OrdersDeps) {
    this.#deps = deps;
  }

  /** Notes how many UTF-16 units of a prompt the runtime takes. */
  takes(characters: number): void {
    this.#longestText = characters;
  }

  /** Notes a prompt that the runtime has and has not finished. */
  has(prompt: PromptReference): void {
    this.#open.set(prompt.uid, prompt);
    this.#sent.add(prompt.uid);
  }

  ended({ uid }: PromptReference): void {
    this.#open.delete(uid);
    this.#sent.add(uid);
  }

  /** Follows the session's status; called at each change of the session. */
  sessionChanged(): void {
    if (!this.#deps.isWelcome()) return;
    if (this.#acting !== "no") {
      this.#acting = "again";
      return;
    }
    this.#acting = "yes";
    void this.#act().finally(() => {
      const again = this.#acting === "again";
      this.#acting = "no";
      if (again) this.sessionChanged();
    });
  }

  async #act(): Promise<void> {
    const { attempt, session } = this.#deps;
    const plan = planConnection(session(attempt.sessionUid), {
      attempt: attempt.attempt,
      sent: this.#sent,
      open: this.#open,
      sentTunnels: this.#sentTunnels,
      isSaving: this.#isSaving,
    });
    if (plan.shutdown !== undefined) {
      this.#deps.shutDown(plan.shutdown);
      return;
    }
    if (plan.tunnels) {
      this.#sentTunnels = true;
      this.#send({ type: "tunnels", urls: [...plan.tunnels] });
    }
    if (plan.saving !== undefined) {
      this.#isSaving = plan.saving;
      this.#send({ type: "saving", goesOn: plan.saving });
    }
    try {
      if (plan.prompt) await this.#sendPrompt(plan.prompt);
      for (const prompt of plan.doubtful) await this.#cancelIfEnded(prompt);
      // The Session's status may change before the Prompt does: check again until they agree.
      if (plan.doubtful.some(({ uid }) => !this.#cancelled.has(uid))) this.#lookAgain(retryMs.longest);
      this.#failures = 0;
    } catch (error) {
      this.#deps.failed(error);
      this.#lookAgain(Math.min(retryMs.first * 2 ** this.#failures, retryMs.longest));
      this.#failures += 1;
    }
  }

  async #sendPrompt(prompt: PromptReference): Promise<void> {
    const { attempt, prompts, logger } = this.#deps;
    const content = await prompts.content(attempt, prompt);
    if (!content) return;
    const { text, images = [] } = content;
    if (text.length > this.#longestText) {
      await this.#refuse(prompt, text.length);
      return;
    }
    this.has(prompt);
    this.#send({ type: "prompt", prompt, text, ...(images.length === 0 ? {} : { images }) });
    const { session, namespace } = attempt;
    const facts = { prompt: prompt.name, characters: text.length, images: images.length };
    logger.info({ session, namespace, attempt: attempt.attempt, ...facts }, "Sent a prompt");
  }

  /** The runtime would drop it without a word, and the prompt run into its timeout. */
  async #refuse(prompt: PromptReference, characters: number): Promise<void> {
    const { attempt, prompts } = this.#deps;
    const message = `The prompt has ${characters} characters (UTF-16 units), and this sandbox's runtime takes ${this.#longestText}: its image is of an earlier version`;
    await prompts.settle(attempt, { prompt, verdict: "failed", message }, reasons.promptTooLong);
    this.ended(prompt);
  }

  async #cancelIfEnded(prompt: PromptReference): Promise<void> {
    const { attempt, prompts } = this.#deps;
    if (this.#cancelled.has(prompt.uid) || (await prompts.content(attempt, prompt))) return;
    this.#cancelled.add(prompt.uid);
    this.#send({ type: "cancel", promptUid: prompt.uid });
  }

  #send(message: GatewayMessage): void {
    this.#deps.link.send(message);
  }

  #lookAgain(delayMs: number): void {
    this.#deps.link.after("look", delayMs, () => this.sessionChanged());
  }
}
