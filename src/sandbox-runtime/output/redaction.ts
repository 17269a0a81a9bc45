import { Buffer } from "node:buffer";

import type { Bundle } from "../../api/runtime/bundle.ts";
import type { PromptOutcome } from "../../api/runtime/messages.ts";
import { encodedForms } from "./encoded-forms.ts";
import type { Unnumbered } from "../gateway/outbox.ts";

/** What stands in a secret's place. */
export const redacted = "***";

/** In bytes of UTF-8. Shorter values, such as `true` or a port, would redact ordinary words. */
export const shortestSecret = 8;

/** The values to redact: the session's secrets and its git credentials, whole, line by line, and as base64 and URLs have them. */
export function secretsOf({ environment, repositories }: Pick<Bundle, "environment" | "repositories">): string[] {
  const values = [
    ...Object.values(environment),
    ...repositories.flatMap(({ credential, sshKey }) => [credential?.password, sshKey?.privateKey]),
  ];
  const lines = values.flatMap((value = "") => [value, ...value.split("\n")]).map((line) => line.trim());
  const secrets = [...new Set(lines)].filter((line) => Buffer.byteLength(line, "utf8") >= shortestSecret);
  return withEncodedForms(secrets);
}

/** The values, and what they become in base64 and in URLs. */
export function withEncodedForms(secrets: readonly string[]): string[] {
  return [...new Set([...secrets, ...secrets.flatMap(encodedForms)])];
}

/**
 * Redacts secrets from text that comes in pieces: a possible beginning of a secret is held back until more text has come.
 * Secrets that overlap are redacted as one.
 */
export class Redactor {
  /** May grow, as credentials are minted during the stream. */
  readonly #secrets: readonly string[];
  #held = "";
  /** How much of the held text belongs to a secret that was redacted already, in UTF-16 units. */
  #covered = 0;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** Adds a piece; returns the redacted text as far as it is final. */
  take(text: string): string {
    const all = this.#held + text;
    return this.#release(all, this.#firstOpen(all));
  }

  /** Returns the redacted rest. */
  end(): string {
    return this.#release(this.#held, this.#held.length);
  }

  #release(all: string, until: number): string {
    let released = "";
    let at = 0;
    for (const [start, end] of this.#found(all)) {
      const isCovered = start === 0 && this.#covered > 0;
      if (start >= until && !isCovered) break;
      released += all.slice(at, start) + (isCovered ? "" : redacted);
      at = end;
    }
    released += all.slice(at, until);
    this.#held = all.slice(until);
    this.#covered = Math.max(at - until, 0);
    return released;
  }

  /** Ranges of secrets in order; overlapping ones are merged. */
  #found(all: string): [start: number, end: number][] {
    const places: [number, number][] = this.#covered > 0 ? [[0, this.#covered]] : [];
    for (const secret of this.#secrets) {
      for (let start = all.indexOf(secret); start >= 0; start = all.indexOf(secret, start + 1)) {
        places.push([start, start + secret.length]);
      }
    }
    const merged: [number, number][] = [];
    for (const [start, end] of places.sort(([one], [other]) => one - other)) {
      const last = merged.at(-1);
      if (last && start < last[1]) last[1] = Math.max(last[1], end);
      else merged.push([start, end]);
    }
    return merged;
  }

  /** Index of the first possible beginning of a secret, which more text may complete. */
  #firstOpen(all: string): number {
    let first = all.length;
    const lastUnit = all.at(-1);
    for (const secret of this.#secrets) {
      for (let length = Math.min(secret.length - 1, all.length); length > all.length - first; length -= 1) {
        if (secret[length - 1] === lastUnit && all.endsWith(secret.slice(0, length))) first = all.length - length;
      }
    }
    return first;
  }
}

/** Redacts a whole text. Cut it afterwards only: a part of a secret is not recognised. */
export function redact(text: string, secrets: readonly string[]): string {
  const redactor = new Redactor(secrets);
  return redactor.take(text) + redactor.end();
}

/** Redacts the free text of a report; output events are redacted already. */
export function withoutSecrets(message: Unnumbered, secrets: readonly string[]): Unnumbered {
  const clean = (text: string): string => redact(text, secrets);
  switch (message.type) {
    case "ready": {
      const { passedOver } = message;
      return {
        ...message,
        ...(passedOver && { passedOver: passedOver.map((one) => cleaned(one, ["message"], clean)) }),
      };
    }
    case "built":
      return { ...message, note: { ...message.note, secretFiles: message.note.secretFiles.map(clean) } };
    case "bootFailed":
      return { ...message, failure: { ...message.failure, message: clean(message.failure.message) } };
    case "promptFinished":
      return { ...message, outcome: cleanedOutcome(message.outcome, clean) };
    case "event":
      return { ...message, event: cleaned(message.event, ["message", "title"], clean) };
  }
}

function cleanedOutcome(outcome: PromptOutcome, clean: (text: string) => string): PromptOutcome {
  const { pullRequest, media } = outcome;
  return {
    ...cleaned(outcome, ["message", "summary"], clean),
    ...(pullRequest && { pullRequest: cleaned(pullRequest, ["title", "body"], clean) }),
    ...(media && { media: { ...media, files: media.files.map((file) => cleaned(file, ["fileName"], clean)) } }),
  };
}

/** Cleans the text members of these names. */
function cleaned<T extends object>(object: T, names: readonly string[], clean: (text: string) => string): T {
  const entries = Object.entries(object).map(([name, value]: [string, unknown]) =>
    names.includes(name) && typeof value === "string" ? [name, clean(value)] : [name, value],
  );
  return Object.fromEntries(entries) as T;
}
