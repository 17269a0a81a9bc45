import { z } from "zod";
import { plainText } from "../../api/runtime/text.ts";
import { own, type ReportedResult, reportedTokens, shownCharacters } from "./result-line.ts";

/** Kept of the end of a message, in UTF-16 units: more than a summary may have. */
const mostUnits = 16_384;

const Problem = own(z.object({ message: own(z.string()) }));

/** What Codex writes with `codex exec --json` before its end, and what ends it. */
const CodexEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("thread.started") }),
  z.object({ type: z.literal("item.completed"), item: z.object({ type: z.string(), text: own(z.string()) }) }),
  z.object({ type: z.literal("turn.completed"), usage: reportedTokens }),
  z.object({ type: z.literal("turn.failed"), error: Problem }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);

/** What Gemini CLI writes with `--output-format stream-json` before its result line. */
const GeminiEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    role: z.literal("assistant"),
    content: z.string(),
    delta: own(z.boolean()),
  }),
  z.object({ type: z.literal("tool_use") }),
]);

/** What an agent says in events on the way to its end. */
export class AgentEvents {
  #said: string | undefined;
  /** Further pieces are of a message of their own. */
  #hasEnded = true;
  /** Events named `error` are said by many programs. */
  #isCodex = false;
  #trouble: string | undefined;

  /** The last message. */
  get said(): string | undefined {
    return this.#said;
  }

  /** The last thing that went wrong, unless the agent went on afterwards: Codex says so of connections that it makes again, too. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Returns the result where the event ends the agent's work. */
  take(document: unknown): ReportedResult | undefined {
    const ofGemini = GeminiEvent.safeParse(document).data;
    if (ofGemini) this.#takeGemini(ofGemini);
    const ofCodex = CodexEvent.safeParse(document).data;
    return ofCodex && this.#takeCodex(ofCodex);
  }

  #takeCodex(event: z.infer<typeof CodexEvent>): ReportedResult | undefined {
    switch (event.type) {
      case "thread.started":
        this.#isCodex = true;
        return undefined;
      case "item.completed":
        this.#takeItem(event.item);
        return undefined;
      case "turn.completed":
        this.#trouble = undefined;
        return tokensOf(event.usage);
      case "turn.failed":
        return { failure: this.#failure(event.error?.message) };
      case "error":
        if (this.#isCodex) this.#trouble = shown(event.message);
        return undefined;
    }
  }

  #takeItem({ type, text }: { type: string; text?: string | undefined }): void {
    this.#trouble = undefined;
    if (type === "agent_message") this.#said = text?.slice(-mostUnits);
  }

  #failure(message: string | undefined): string {
    return shown(message) ?? this.#trouble ?? "turn.failed";
  }

  #takeGemini(event: z.infer<typeof GeminiEvent>): void {
    if (event.type === "tool_use") {
      this.#hasEnded = true;
      return;
    }
    const { content, delta = false } = event;
    const before = delta && !this.#hasEnded ? (this.#said ?? "") : "";
    this.#said = (before + content).slice(-mostUnits);
    this.#hasEnded = !delta;
  }
}

function tokensOf(usage: z.infer<typeof reportedTokens>): ReportedResult {
  return { inputTokens: usage?.input_tokens, outputTokens: usage?.output_tokens };
}

function shown(text: string | undefined): string | undefined {
  const plain = plainText(text ?? "", shownCharacters).trim();
  return plain === "" ? undefined : plain;
}
