import type { SessionEvent } from "../../api/runtime/session-event.ts";
import { plainText } from "../../api/runtime/text.ts";

type Happened = SessionEvent["event"];
type Output = Extract<Happened, { kind: "output" }>;

/**
 * The log of a session as text: the output of programs, with the repository before each line of its hooks, and lines of
 * Runwright, which begin with `#`.
 */
export class EventText {
  #attempt = 0;
  /** The writer of the last line, if that line has no newline yet; else empty. */
  #openLine = "";

  /** The text that an event adds. */
  take({ attempt, time, event }: SessionEvent): string {
    const begun = attempt === this.#attempt ? "" : this.#line(time, `sandbox ${attempt}`);
    this.#attempt = attempt;
    return begun + (event.kind === "output" ? this.#output(event) : this.#line(time, inWords(event)));
  }

  /** The end of the text: a newline if the last line has none. */
  end(): string {
    return this.#closeLine();
  }

  #output(output: Output): string {
    const writer = `${output.source} ${output.repository ?? ""}`;
    const prefix = output.repository === undefined ? "" : `${output.repository} | `;
    const closed = this.#openLine === writer ? "" : this.#closeLine();
    const text = plain(output.text);
    if (text === "") return closed;
    const isNew = this.#openLine === "";
    this.#openLine = text.endsWith("\n") ? "" : writer;
    return closed + (isNew ? prefix : "") + text.replace(/\n(?!$)/g, `\n${prefix}`);
  }

  #line(time: string, words: string): string {
    return `${this.#closeLine()}# ${time.slice(11, 19)}Z ${words}\n`;
  }

  #closeLine(): string {
    const wasOpen = this.#openLine !== "";
    this.#openLine = "";
    return wasOpen ? "\n" : "";
  }
}

const phases = {
  restore: "restores the saved workspace",
  clone: "clones",
  setup: "setup.sh",
  start: "start.sh",
  agent: "starts the agent",
} as const;
const verdicts = { succeeded: "has succeeded", failed: "has failed", cancelled: "was cancelled" } as const;

type Words = { [Kind in Exclude<Happened, Output>["kind"]]: (event: Extract<Happened, { kind: Kind }>) => string };

const words: Words = {
  bootProgress: ({ phase, repository }) => `${phases[phase]}${repository === undefined ? "" : ` of ${repository}`}`,
  ready: () => "ready",
  built: ({ result, commits }) =>
    result === "Unchanged" ? "nothing new" : `built ${commits.map(({ commit }) => commit.slice(0, 12)).join(", ")}`,
  bootFailed: ({ message }) => `boot has failed: ${oneLine(message)}`,
  promptStarted: () => "a prompt begins",
  promptFinished: ({ prompt, verdict, message, branch }) =>
    [
      `prompt ${oneLine(prompt.name)} ${verdicts[verdict]}`,
      message === undefined ? "" : `: ${oneLine(message)}`,
      branch === undefined ? "" : `; branch ${oneLine(branch)}`,
    ].join(""),
  tool: ({ title, state }) => `tool ${oneLine(title)}${state === "" ? "" : ` (${oneLine(state)})`}`,
  warning: ({ message }) => `warning: ${oneLine(message)}`,
  dropped: ({ message }) => oneLine(message),
};

function inWords(event: Exclude<Happened, Output>): string {
  // The table has an entry for each kind that takes events of this kind.
  const say = words[event.kind] as (event: Happened) => string;
  return say(event);
}

function plain(text: string): string {
  return plainText(text, text.length);
}

/** Makes one line of a sandbox's text, which must not be able to look like a line of Runwright. */
function oneLine(text: string): string {
  return plain(text).replace(/\s+/g, " ").trim();
}
