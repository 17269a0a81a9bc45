import { Buffer } from "node:buffer";

import type { Bundle } from "../../api/runtime/bundle.ts";
import type { Unnumbered } from "../gateway/outbox.ts";

/** What stands in a secret's place. */
export const redacted = "***";

/** Shorter values, such as `true` or a port, would take ordinary words out of all output; in bytes of UTF-8. */
export const shortestSecret = 8;

/** The values that must not be told: of the session's secrets and of git credentials, whole and line by line. */
export function secretsOf({ environment, repositories }: Pick<Bundle, "environment" | "repositories">): string[] {
  const values = [
    ...Object.values(environment),
    ...repositories.flatMap(({ credential, sshKey }) => [credential?.password, sshKey?.privateKey]),
  ];
  const lines = values.flatMap((value = "") => [value, ...value.split("\n")]).map((line) => line.trim());
  return [...new Set(lines)].filter((line) => Buffer.byteLength(line, "utf8") >= shortestSecret);
}

/**
 * Takes secrets out of a stream of text, wherever it is cut into pieces: what may be the beginning of a secret is kept
 * until more has come. Secrets that overlap are taken out together.
 */
export class Redactor {
  /** May grow: credentials are minted while something is told. */
  readonly #secrets: readonly string[];
  #held = "";
  /** How much of what is held belongs to a secret whose place was taken already. */
  #covered = 0;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** What can be told now. */
  take(text: string): string {
    const all = this.#held + text;
    return this.#tell(all, this.#firstOpen(all));
  }

  /** What is left when nothing more comes. */
  end(): string {
    return this.#tell(this.#held, this.#held.length);
  }

  #tell(all: string, until: number): string {
    let told = "";
    let at = 0;
    for (const [start, end] of this.#found(all)) {
      const wasTold = start === 0 && this.#covered > 0;
      if (start >= until && !wasTold) break;
      told += all.slice(at, start) + (wasTold ? "" : redacted);
      at = end;
    }
    told += all.slice(at, until);
    this.#held = all.slice(until);
    this.#covered = Math.max(at - until, 0);
    return told;
  }

  /** Where secrets are, in order; those that overlap as one. */
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

  /** Where the first thing begins that more text may make a secret. */
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

/** A whole text without secrets. Whoever cuts it does so afterwards: half a secret is not found. */
export function redact(text: string, secrets: readonly string[]): string {
  const redactor = new Redactor(secrets);
  return redactor.take(text) + redactor.end();
}

/** A report without secrets in what people wrote of it; output is without them already. */
export function withoutSecrets(message: Unnumbered, secrets: readonly string[]): Unnumbered {
  const clean = (text: string): string => redact(text, secrets);
  switch (message.type) {
    case "ready":
      return message;
    case "bootFailed":
      return { ...message, failure: { ...message.failure, message: clean(message.failure.message) } };
    case "promptFinished":
      return { ...message, outcome: cleaned(message.outcome, ["message", "summary"], clean) };
    case "event":
      return { ...message, event: cleaned(message.event, ["message", "title"], clean) };
  }
}

/** The object with those of its texts cleaned that are among the names. */
function cleaned<T extends object>(object: T, names: readonly string[], clean: (text: string) => string): T {
  const entries = Object.entries(object).map(([name, value]: [string, unknown]) =>
    names.includes(name) && typeof value === "string" ? [name, clean(value)] : [name, value],
  );
  return Object.fromEntries(entries) as T;
}
