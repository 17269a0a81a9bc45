import { parseDuration } from "../output/age.ts";
import { misuse } from "../parse-command.ts";

/** A whole number of 1 or more. @throws CliError */
export function countOf(flag: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw misuse(`${flag} is "${text}", but it must be a whole number of 1 or more`);
}

/** Milliseconds. @throws CliError */
export function durationOf(flag: string, text: string): number {
  const lengthMs = parseDuration(text);
  if (lengthMs !== undefined && lengthMs > 0) return lengthMs;
  throw misuse(`${flag} is "${text}", but it must be a length of time above 0 such as 30s, 15m, 1h30m or 2d`);
}
