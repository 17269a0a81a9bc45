import { Prompt, reasons, type Session } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf } from "../../lib/resource.ts";
import type { Audit, Requested } from "../http/audit.ts";
import { failWrite } from "../http/errors.ts";
import { lookUntil } from "../http/look-until.ts";

interface PromptEndsDeps {
  client: Pick<KubeClient, "find" | "get" | "patch">;
  clock: Clock;
  audit: Audit;
  /** Milliseconds to wait for the end. */
  decisionMs: number;
}

/** Cancels prompts on behalf of people and sessions. */
export class PromptEnds {
  readonly #deps: PromptEndsDeps;

  constructor(deps: PromptEndsDeps) {
    this.#deps = deps;
  }

  /** Cancels a prompt that has not ended, and gives it as it is at its end or after the wait. @throws ApiError */
  async cancel(prompt: Prompt, asking: Requested): Promise<Prompt> {
    const [ended = prompt] = await this.cancelAll([prompt], asking);
    return ended;
  }

  /** Cancels, in this order, those that have not ended, and gives all as they are then or after one wait. @throws ApiError */
  async cancelAll(prompts: readonly Prompt[], { requester, signal }: Requested): Promise<Prompt[]> {
    const { client, clock, decisionMs } = this.#deps;
    const seen: Prompt[] = [];
    for (const prompt of prompts)
      seen.push(isSettled(prompt) ? prompt : await this.#ask(prompt, { requester, signal }));
    if (seen.every(isSettled)) return seen;
    await lookUntil(clock, { waitMs: decisionMs, signal }, async () => {
      for (const [at, prompt] of seen.entries()) {
        if (!isSettled(prompt)) seen[at] = await client.get<Prompt>(Prompt, keyOf(prompt), { signal });
      }
      return seen.every(isSettled) || undefined;
    });
    return seen;
  }

  async #ask(prompt: Prompt, { requester, signal }: Requested): Promise<Prompt> {
    // The UID is a precondition: a new prompt of the same name is not changed.
    const patch = { metadata: { uid: prompt.metadata.uid }, spec: { cancel: true } };
    const asked = await this.#deps.client.patch<Prompt>(Prompt, keyOf(prompt), patch, { signal }).catch(failWrite);
    this.#deps.audit.note(requester, asked, { reason: reasons.cancelRequested, did: "asked for its end" });
    return asked;
  }

  /** Cancels the prompt that a session processes; undefined without one. @throws ApiError */
  async stop(session: Session, asking: Requested): Promise<Prompt | undefined> {
    const { currentPrompt } = session.status ?? {};
    if (!currentPrompt) return undefined;
    const key = { namespace: session.metadata.namespace, name: currentPrompt.name };
    const found = await this.#deps.client.find<Prompt>(Prompt, key, { signal: asking.signal });
    return found && this.cancel(found, asking);
  }
}
