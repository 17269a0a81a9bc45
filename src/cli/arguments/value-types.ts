import { misuse } from "../cli-error.ts";
import { parseDuration } from "../output/age.ts";

/** How to read the text of a flag or argument. */
export interface ValueType<T> {
  /** Completes the error `--limit is "x", but …`. */
  expected: string;
  /** Returns undefined for a text that does not fit. */
  parse: (text: string) => T | undefined;
}

/** Reads the value of a flag or argument. @throws CliError that says what it must be */
export function readValue<T>(type: ValueType<T>, name: string, text: string, command?: string): T {
  const value = type.parse(text);
  if (value !== undefined) return value;
  throw misuse(`${name} is "${text}", but ${type.expected}`, command);
}

export const wholeNumber: ValueType<number> = {
  expected: "it must be a whole number of 1 or more",
  parse: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
};

/** A length of time, also as the user wrote it. */
export interface Duration {
  ms: number;
  text: string;
}

export const duration: ValueType<Duration> = {
  expected: "it must be a length of time above 0 such as 30s, 15m, 1h30m or 2d",
  parse(text) {
    const ms = parseDuration(text) ?? 0;
    return ms > 0 ? { ms, text } : undefined;
  },
};

/** A TCP port of at least `least`. */
export function port(least: number): ValueType<number> {
  return {
    expected: `it must be a port from ${least} to 65535`,
    parse(text) {
      const number = Number(text);
      return /^\d{1,5}$/.test(text) && number >= least && number <= 65_535 ? number : undefined;
    },
  };
}

/** A URL of one of these schemes, such as `https:`; read without slashes at its end. */
export function url(...schemes: string[]): ValueType<string> {
  return {
    expected: `it must be a URL that starts with ${schemes.join("// or ")}//`,
    parse: (text) => (schemes.includes(URL.parse(text)?.protocol ?? "") ? text.replace(/\/+$/, "") : undefined),
  };
}

/** One of these words. */
export function oneOf<T extends string>(words: readonly T[]): ValueType<T> {
  return {
    expected: `it can only be ${inWords(words)}`,
    parse: (text) => words.find((word) => word === text),
  };
}

/** `a, b or c` */
export function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}
