import type { Clock } from "../lib/clock.ts";

/** Log of stages, sizes and durations as JSON lines; never text of people or agents. */
export interface RuntimeLog {
  info(message: string, data?: Readonly<Record<string, string | number | boolean | undefined>>): void;
  warn(message: string, data?: Readonly<Record<string, string | number | boolean | undefined>>): void;
}

/** `write` gets one line with its line end at a time. */
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

/** The code or name of an error, without its message, which may quote text of people. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "unknown";
}
