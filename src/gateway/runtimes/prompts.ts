import { isDnsLabel } from "../../lib/dns-label.ts";
import type { PromptOutcome, PromptReference } from "../../api/runtime/messages.ts";
import { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Reason } from "../../api/v1alpha1/reasons.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isNotFound } from "../../kube/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KubeObject } from "../../lib/resource.ts";
import { isOver } from "../attempts/admission.ts";
import type { Attempt } from "../attempts/attempt.ts";
import { lateStatus, settledStatus } from "./outcome.ts";

/** What an outcome from a runtime became. `ignored`: this attempt may not settle the prompt. */
export type Settlement = "settled" | "late" | "repeated" | "ignored";

/** What is sent to the agent. */
type PromptContent = Pick<Prompt["spec"], "text" | "images">;

interface PromptsDeps {
  client: KubeClient;
  clock: Clock;
  /** Whether agents may attach files to their answers. */
  takesMedia: boolean;
}

/** Prompts in the API server, read at each call: a cache may be older than what runtimes know. */
export class Prompts {
  readonly #deps: PromptsDeps;

  constructor(deps: PromptsDeps) {
    this.#deps = deps;
  }

  /** The content of an unfinished prompt of this session; undefined when there is no such prompt. */
  async content(attempt: Attempt, reference: PromptReference): Promise<PromptContent | undefined> {
    const prompt = await this.#find(attempt, reference);
    return prompt && !isSettled(prompt) ? prompt.spec : undefined;
  }

  /**
   * Writes the outcome: as the verdict if there is none yet, or else as the late result. Rejects with a conflict after a
   * concurrent write; a repeated call reads the prompt again. `reason` is that of the verdict, unless it is the usual one.
   */
  async settle(attempt: Attempt, outcome: PromptOutcome, reason?: Reason): Promise<Settlement> {
    const write = await this.#writeFor(attempt, outcome, reason);
    if (typeof write === "string") return write;
    try {
      await this.#deps.client.patchStatus(Prompt, write.prompt, write.status);
      return write.settlement;
    } catch (error) {
      if (isNotFound(error)) return "ignored";
      throw error;
    }
  }

  async #writeFor(
    attempt: Attempt,
    outcome: PromptOutcome,
    reason: Reason | undefined,
  ): Promise<Settlement | { prompt: Prompt; status: NonNullable<Prompt["status"]>; settlement: Settlement }> {
    const prompt = await this.#find(attempt, outcome.prompt);
    if (!prompt) return "ignored";
    if (isSettled(prompt)) {
      const status = lateStatus(prompt, outcome);
      return status ? { prompt, status, settlement: "late" } : "repeated";
    }
    const current = await this.#current(attempt);
    if (current?.uid !== outcome.prompt.uid) return "ignored";
    // The prompt was stopped to save the workspace; the controller sets its reason.
    if (current.isSaving && outcome.verdict === "cancelled") return "ignored";
    const { startTime } = current;
    const { clock, takesMedia } = this.#deps;
    const status = settledStatus(prompt, outcome, { now: clock.now(), startTime, reason, takesMedia });
    return { prompt, status, settlement: "settled" };
  }

  /** The prompt that the session processes on this attempt. */
  async #current(attempt: Attempt): Promise<{ uid: string; startTime: string; isSaving: boolean } | undefined> {
    const key = { namespace: attempt.namespace, name: attempt.session };
    const session = await this.#deps.client.find<Session>(Session, key);
    if (session?.metadata.uid !== attempt.sessionUid) return undefined;
    const isCurrent = session.status?.sandbox?.attempt === attempt.attempt && !isOver(session, attempt.attempt);
    const { sandbox, currentPrompt } = session.status ?? {};
    return isCurrent && currentPrompt ? { ...currentPrompt, isSaving: sandbox?.snapshotTime !== undefined } : undefined;
  }

  async #find(attempt: Attempt, reference: PromptReference): Promise<Prompt | undefined> {
    if (!isDnsLabel(reference.name)) return undefined;
    const key = { namespace: attempt.namespace, name: reference.name };
    const prompt = await this.#deps.client.find<Prompt & KubeObject>(Prompt, key);
    const isOurs = prompt?.metadata.uid === reference.uid && prompt.spec.sessionRef.name === attempt.session;
    return isOurs ? prompt : undefined;
  }
}
