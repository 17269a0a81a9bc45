import { protocolLimits } from "../../../api/runtime/limits.ts";
import type { SandboxEvent } from "../../../api/runtime/messages.ts";
import { plainText } from "../../../api/runtime/text.ts";
import { lastCharacters } from "../../../lib/characters.ts";
import { redact } from "../../steps/redaction.ts";
import type { TurnEnd } from "../conversation.ts";
import type { PromptResult, Update } from "./messages.ts";

/** Enough of the last message for a summary, in UTF-16 units. */
const tailUnits = 4 * protocolLimits.summaryCharacters;
/** Tool calls of one turn that are told apart; of later ones each update is an event. */
const knownTools = 1_024;

/** Why a turn that ended without fault did not do its work. */
const failures: Readonly<Record<string, string>> = {
  max_tokens: "the agent stopped: it reached the most tokens that it may use in a turn",
  max_turn_requests: "the agent stopped: it reached the most requests to its model that it may make in a turn",
  refusal: "the agent refused to go on",
  cancelled: "the agent cancelled its turn",
};

type ToolUpdate = Extract<Update, { toolCallId: string }>;

interface Sinks {
  promptUid: string;
  secrets: readonly string[];
  /** Takes what the agent says. */
  say: (text: string) => void;
  publish: (event: SandboxEvent) => void;
}

/** What an agent says and does in one turn: its words and tools become events, its last message is the summary. */
export class Reply {
  readonly #sinks: Sinks;
  readonly #tools = new Map<string, { title: string; state: string }>();
  #message = "";
  /** A tool was used since the last words, so that the next ones begin another message. */
  #isMessageOver = false;
  #costUsd: number | undefined;

  constructor(sinks: Sinks) {
    this.#sinks = sinks;
  }

  /** What the whole conversation has cost so far, as far as the agent said so in this turn. */
  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  take(update: Update): void {
    if (update.sessionUpdate === "agent_message_chunk") this.#say(update.content.text ?? "");
    else if (update.sessionUpdate === "usage_update") this.#count(update.cost);
    else this.#use(update);
  }

  end({ stopReason }: PromptResult): Pick<TurnEnd, "verdict" | "message" | "summary"> {
    const message = redact(this.#message, this.#sinks.secrets);
    const said = plainText(message, message.length).trim();
    const summary = said === "" ? {} : { summary: lastCharacters(said, protocolLimits.summaryCharacters) };
    if (stopReason === "end_turn") return { verdict: "succeeded", ...summary };
    const known = failures[stopReason];
    const why = known ?? `the agent stopped for a reason that is not known here: ${plainText(stopReason, 64)}`;
    return { verdict: "failed", message: why, ...summary };
  }

  #say(text: string): void {
    if (this.#isMessageOver) {
      this.#message = "";
      this.#sinks.say("\n");
    }
    this.#isMessageOver = false;
    this.#message = (this.#message + text).slice(-tailUnits);
    this.#sinks.say(text);
  }

  #count(cost: { amount: number; currency: string } | null | undefined): void {
    if (cost?.currency === "USD") this.#costUsd = cost.amount;
  }

  /** One event each time that a tool's title or state changes: agents repeat both with each piece of output. */
  #use(update: ToolUpdate): void {
    this.#isMessageOver ||= this.#message !== "";
    const tool = plainText(update.toolCallId, 128);
    const known = this.#tools.get(tool);
    const shown = { ...(known ?? { title: "", state: "" }), ...news(update) };
    if (known?.title === shown.title && known.state === shown.state) return;
    if (this.#tools.size < knownTools || known) this.#tools.set(tool, shown);
    const { promptUid, publish } = this.#sinks;
    publish({ kind: "tool", promptUid, tool, ...shown });
  }
}

/** What an update says anew; the rest stays as it was said before. */
function news({ title, status }: ToolUpdate): { title?: string; state?: string } {
  return {
    ...(title === undefined ? {} : { title: plainText(title, protocolLimits.messageCharacters) }),
    ...(status === undefined ? {} : { state: plainText(status, 64) }),
  };
}
