import { protocolLimits } from "../../api/runtime/limits.ts";
import type { SandboxEvent } from "../../api/runtime/messages.ts";
import { plainText } from "../../api/runtime/text.ts";
import { firstCharacters } from "../../lib/characters.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import { Redactor } from "./redaction.ts";

type OutputEvent = Extract<SandboxEvent, { kind: "output" }>;
type Stream = OutputEvent["stream"];
export type OutputOrigin = Pick<OutputEvent, "source" | "repository" | "promptUid">;

export const relayLimits = {
  /** UTF-16 units of one command's output that become events; the rest is counted and dropped. */
  perCommand: 1_048_576,
  /** How long text is collected before it is sent, in milliseconds. */
  collectMs: 250,
} as const;

export interface RelayDeps {
  clock: Clock;
  publish: (event: SandboxEvent) => void;
  /** Values to redact. */
  secrets: readonly string[];
}

/** Publishes one command's output as session events: in pieces that fit a frame, collected for a moment, up to a limit. */
export class OutputRelay {
  readonly #origin: OutputOrigin;
  readonly #deps: RelayDeps;
  readonly #redactors = new Map<Stream, Redactor>();
  readonly #texts = new Map<Stream, string>();
  #timer: Timer | undefined;
  #taken = 0;
  #cut = 0;

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
    const room = relayLimits.perCommand - this.#taken;
    this.#taken += Math.min(text.length, room);
    this.#cut += Math.max(text.length - room, 0);
    if (room <= 0) return;
    const collected = (this.#texts.get(stream) ?? "") + text.slice(0, room);
    this.#texts.set(stream, this.#publishFull(stream, collected));
    this.#timer ??= this.#deps.clock.setTimeout(() => this.#flush(), relayLimits.collectMs);
  }

  /** Publishes what is left, and a warning where output was dropped. */
  end(): void {
    for (const [stream, redactor] of this.#redactors) this.#collect(stream, redactor.end());
    this.#flush();
    if (this.#cut === 0) return;
    const message = `${this.#cut} more characters of output are not shown`;
    const { repository } = this.#origin;
    this.#deps.publish({
      kind: "warning",
      scope: "output",
      message,
      ...(repository === undefined ? {} : { repository }),
    });
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const [stream, text] of this.#texts) if (text !== "") this.#publish(stream, text);
    this.#texts.clear();
  }

  /** Publishes whole pieces and returns the rest. */
  #publishFull(stream: Stream, text: string): string {
    let rest = text;
    while (rest.length > 2 * protocolLimits.outputCharacters) {
      const piece = firstCharacters(rest, protocolLimits.outputCharacters);
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
