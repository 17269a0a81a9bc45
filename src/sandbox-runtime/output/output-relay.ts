import { protocolLimits } from "../../api/runtime/limits.ts";
import type { SandboxEvent } from "../../api/runtime/messages.ts";
import { plainText } from "../../api/runtime/text.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import { Redactor } from "./redaction.ts";
import { TextTail } from "./text-tail.ts";
import { unfinishedEnd } from "./unfinished-end.ts";

type OutputEvent = Extract<SandboxEvent, { kind: "output" }>;
type Stream = OutputEvent["stream"];
export type OutputOrigin = Pick<OutputEvent, "source" | "repository" | "promptUid">;

export const relayLimits = {
  /** UTF-16 units of the beginning of a command's output, which become events as they come. */
  beginning: 917_504,
  /** UTF-16 units of the end of each stream, which become events when the command has ended; what is between is counted and dropped. */
  end: 65_536,
  /** How long text is collected before it is sent, in milliseconds. */
  collectMs: 250,
} as const;

export interface RelayDeps {
  clock: Clock;
  publish: (event: SandboxEvent) => void;
  /** Values to redact. */
  secrets: readonly string[];
}

/**
 * Publishes one command's output as session events: in pieces that fit a frame, collected for a moment. Long output loses its middle;
 * its beginning and its end, which tells what went wrong, are kept.
 */
export class OutputRelay {
  readonly #origin: OutputOrigin;
  readonly #deps: RelayDeps;
  readonly #redactors = new Map<Stream, Redactor>();
  readonly #texts = new Map<Stream, string>();
  readonly #ends = new Map<Stream, TextTail>();
  #timer: Timer | undefined;
  #taken = 0;

  constructor(origin: OutputOrigin, deps: RelayDeps) {
    this.#origin = origin;
    this.#deps = deps;
  }

  take(stream: Stream, text: string): void {
    const redactor = this.#redactors.get(stream) ?? new Redactor(this.#deps.secrets);
    this.#redactors.set(stream, redactor);
    this.#collect(stream, redactor.take(text));
  }

  #collect(stream: Stream, text: string): void {
    const room = relayLimits.beginning - this.#taken;
    this.#taken += Math.min(text.length, room);
    if (text.length > room) this.#endOf(stream).take(text.slice(room));
    if (room <= 0) return;
    const collected = (this.#texts.get(stream) ?? "") + text.slice(0, room);
    this.#texts.set(stream, this.#publishFull(stream, collected));
    this.#timer ??= this.#deps.clock.setTimeout(() => this.#flush(), relayLimits.collectMs);
  }

  /** Publishes what is left, and a warning where output is missing between beginning and end. */
  end(): void {
    for (const [stream, redactor] of this.#redactors) this.#collect(stream, redactor.end());
    this.#flush();
    for (const [stream, held] of this.#texts) this.#publish(stream, held);
    const ends = [...this.#ends].map(([stream, end]) => ({ stream, ...end.end() }));
    const cut = ends.reduce((sum, one) => sum + one.cut, 0);
    if (cut > 0) this.#warn(`${cut} characters of output are not shown here; its end follows`);
    for (const { stream, text } of ends) this.#publish(stream, this.#publishFull(stream, text));
  }

  #endOf(stream: Stream): TextTail {
    const end = this.#ends.get(stream) ?? new TextTail(relayLimits.end);
    this.#ends.set(stream, end);
    return end;
  }

  #warn(message: string): void {
    const { repository } = this.#origin;
    const where = repository === undefined ? {} : { repository };
    this.#deps.publish({ kind: "warning", scope: "output", message, ...where });
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const [stream, text] of this.#texts) {
      const held = unfinishedEnd(text);
      this.#publish(stream, text.slice(0, text.length - held.length));
      if (held === "") this.#texts.delete(stream);
      else this.#texts.set(stream, held);
    }
  }

  /** Publishes whole pieces and returns the rest. */
  #publishFull(stream: Stream, text: string): string {
    let rest = text;
    while (rest.length > 2 * protocolLimits.outputCharacters) {
      const cut = firstCharacters(rest, protocolLimits.outputCharacters);
      const piece = cut.slice(0, cut.length - unfinishedEnd(cut).length);
      this.#publish(stream, piece);
      rest = rest.slice(piece.length);
    }
    return rest;
  }

  #publish(stream: Stream, text: string): void {
    const plain = plainText(text, 2 * protocolLimits.outputCharacters);
    for (let rest = plain; rest !== "";) {
      const piece = firstCharacters(rest, protocolLimits.outputCharacters);
      this.#deps.publish({ kind: "output", ...this.#origin, stream, text: piece });
      rest = rest.slice(piece.length);
    }
  }
}
