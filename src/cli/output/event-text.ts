import type { SessionEvent } from "../../api/runtime/session-event.ts";
import { plainText } from "../../api/runtime/text.ts";
import { eventInWords } from "../../domain/session-events/event-words.ts";

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
    return begun + (event.kind === "output" ? this.#output(event) : this.#line(time, eventInWords(event)));
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

function plain(text: string): string {
  return plainText(text, text.length);
}
