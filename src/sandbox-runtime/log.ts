import type { Clock } from "../lib/clock.ts";

/** What happened, as one JSON line on standard output: stages, sizes and durations, never what anybody wrote. */
export interface RuntimeLog {
  info(message: string, data?: Readonly<Record<string, string | number | boolean | undefined>>): void;
  warn(message: string, data?: Readonly<Record<string, string | number | boolean | undefined>>): void;
}

/** `write` gets one whole line at a time. */
export function createRuntimeLog(
  container: string,
  clock: Pick<Clock, "now">,
  write: (line: string) => void,
): RuntimeLog {
  const log =
    (level: string): RuntimeLog["info"] =>
    (message, data = {}) =>
      write(`${JSON.stringify({ time: clock.now().toISOString(), level, process: container, message, ...data })}\n`);
  return { info: log("info"), warn: log("warn") };
}

/** The kind of an error, without its text, which may quote what somebody wrote. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "unknown";
}
