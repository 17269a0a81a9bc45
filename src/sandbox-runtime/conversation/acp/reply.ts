import { protocolLimits } from "../../../api/runtime/limits.ts";
import type { SandboxEvent } from "../../../api/runtime/messages.ts";
import { plainText } from "../../../api/runtime/text.ts";
import { cutStart } from "../../../lib/characters.ts";
import { redact } from "../../output/redaction.ts";
import type { TurnEnd } from "../conversation.ts";
import type { PromptResult, Update } from "./messages.ts";

/** Kept of the last message for the summary, in UTF-16 units. */
const tailUnits = 4 * protocolLimits.summaryCharacters;
/** Of what the agent asked for. */
const shownCharacters = 300;
/** Tool calls of a turn whose state is remembered; each update of later ones is an event. */
const knownTools = 1_024;

/** Messages for stop reasons other than `end_turn`. */
const failures: Readonly<Record<string, string>> = {
  max_tokens: "the agent stopped: it reached the most tokens that it may use in a turn",
  max_turn_requests: "the agent stopped: it reached the most requests to its model that it may make in a turn",
  refusal: "the agent refused to go on",
  cancelled: "the agent cancelled its turn",
};

type ToolUpdate = Extract<Update, { toolCallId: string }>;
/** What a turn shows. */
export type ReplyUpdate = Exclude<Update, { sessionUpdate: "usage_update" }>;

interface Sinks {
  promptUid: string;
  secrets: readonly string[];
  say: (text: string) => void;
  publish: (event: SandboxEvent) => void;
}

/** An agent's reply in one turn: text and tool calls become events, and its last message is the summary. */
export class Reply {
  readonly #sinks: Sinks;
  readonly #tools = new Map<string, { title: string; state: string }>();
  #message = "";
  /** What the agent asked for and did not get: the first, and how many there were. */
  #refused: { first: string; count: number } | undefined;
  /** Whether a tool was used since the last text, so that further text begins a new message. */
  #isMessageOver = false;

  constructor(sinks: Sinks) {
    this.#sinks = sinks;
  }

  take(update: ReplyUpdate): void {
    if (update.sessionUpdate === "agent_message_chunk") this.#say(update.content.text ?? "");
    else this.#use(update);
  }

  refused(what: string): void {
    const { first = plainText(redact(what, this.#sinks.secrets), shownCharacters), count = 0 } = this.#refused ?? {};
    this.#refused = { first, count: count + 1 };
  }

  end({ stopReason }: PromptResult): Pick<TurnEnd, "verdict" | "message" | "summary"> {
    const message = redact(this.#message, this.#sinks.secrets);
    const said = plainText(message, message.length).trim();
    const summary = said === "" ? {} : { summary: cutStart(said, protocolLimits.summaryCharacters) };
    const lacked = this.#lacked();
    if (stopReason === "end_turn") {
      return {
        verdict: "succeeded",
        ...summary,
        ...(lacked === undefined ? {} : { message: `the agent finished; ${lacked}` }),
      };
    }
    const known = failures[stopReason];
    const why = known ?? `the agent stopped for a reason that is not known here: ${plainText(stopReason, 64)}`;
    return { verdict: "failed", message: [why, lacked].filter((text) => text !== undefined).join("; "), ...summary };
  }

  #lacked(): string | undefined {
    if (!this.#refused) return undefined;
    const { first, count } = this.#refused;
    const others = count === 1 ? "" : `, and ${count - 1} more`;
    return `it asked for ${first}${others}, and nobody is there to answer while it works: say in the prompt what it may assume`;
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

  /** Publishes changes of title and state only, as agents repeat both with each piece of output. */
  #use(update: ToolUpdate): void {
    this.#isMessageOver ||= this.#message !== "";
    const tool = plainText(update.toolCallId, 128);
    const known = this.#tools.get(tool);
    const shown = { ...(known ?? { title: "", state: "" }), ...changesOf(update) };
    if (known?.title === shown.title && known.state === shown.state) return;
    if (this.#tools.size < knownTools || known) this.#tools.set(tool, shown);
    const { promptUid, publish } = this.#sinks;
    publish({ kind: "tool", promptUid, tool, ...shown });
  }
}

/** The members that an update sets. */
function changesOf({ title, status }: ToolUpdate): { title?: string; state?: string } {
  return {
    ...(title === undefined ? {} : { title: plainText(title, protocolLimits.messageCharacters) }),
    ...(status === undefined ? {} : { state: plainText(status, 64) }),
  };
}
