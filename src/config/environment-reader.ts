import { quantityValue } from "../lib/quantity.ts";
import { ConfigError } from "./config-error.ts";
import type { Environment } from "./operator-settings.ts";

const quantity = {
  pattern: /^([0-9]+(\.[0-9]+)?(k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?)?$/,
  what: "a number of bytes such as 4Gi, or empty",
};

/** Reads environment variables. A bad value stops the process at start. Each method throws a ConfigError for one. */
export class EnvironmentReader {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(variable: string, fallback?: string): string {
    const value = this.#environment[variable];
    if (value !== undefined && value !== "") return value;
    if (fallback !== undefined) return fallback;
    throw new ConfigError(variable, value, "it must be set", "it has no default");
  }

  matching(variable: string, { pattern, what }: { pattern: RegExp; what: string }, fallback?: string): string {
    const value = this.text(variable, fallback);
    if (pattern.test(value)) return value;
    const preset = fallback === undefined ? "it has no default" : `the default is ${fallback}`;
    throw new ConfigError(variable, value, `it must be ${what}`, preset);
  }

  /** An amount such as `4Gi`, in bytes; the fallback where the variable is empty. */
  bytes<Fallback extends number | undefined = undefined>(variable: string, fallback?: Fallback): number | Fallback {
    const text = this.matching(variable, quantity, "");
    return text === "" ? (fallback as Fallback) : Math.floor(quantityValue(text));
  }

  /** A whole number of at least `min` and at most `max`. */
  integer(variable: string, fallback: number, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.#environment[variable];
    if (value === undefined || value === "") return fallback;
    const number = Number(value);
    if (/^[0-9]+$/.test(value) && number >= min && number <= max) return number;
    const bounds =
      max === Number.MAX_SAFE_INTEGER ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;
    throw new ConfigError(variable, value, `it must be a whole number ${bounds}`, `the default is ${String(fallback)}`);
  }

  oneOf<Word extends string>(variable: string, fallback: Word, allowed: readonly Word[]): Word {
    const value = this.text(variable, fallback);
    const found = allowed.find((word) => word === value);
    if (found !== undefined) return found;
    throw new ConfigError(variable, value, `it must be one of ${allowed.join(", ")}`, `the default is ${fallback}`);
  }

  logLevel(): string {
    return this.oneOf("LOG_LEVEL", "info", ["trace", "debug", "info", "warn", "error", "fatal"]);
  }

  /** With commas between them. */
  urls(variable: string, fallback: string, schemes: readonly string[]): string[] {
    const values = this.text(variable, fallback).split(",");
    if (values.every((value) => URL.canParse(value.trim()) && schemes.includes(new URL(value.trim()).protocol))) {
      return values.map((value) => value.trim().replace(/\/+$/, ""));
    }
    const must = `it must be URLs that start with ${schemes.join("// or ")}//, with commas between them`;
    throw new ConfigError(variable, values.join(","), must, `the default is ${fallback}`);
  }

  url(variable: string, fallback: string, schemes: readonly string[]): string {
    const value = this.text(variable, fallback);
    if (URL.canParse(value) && schemes.includes(new URL(value).protocol)) return value.replace(/\/+$/, "");
    throw new ConfigError(
      variable,
      value,
      `it must be a URL that starts with ${schemes.join("// or ")}//`,
      `the default is ${fallback}`,
    );
  }
}
