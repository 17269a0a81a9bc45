import pino, { type DestinationStream, type Logger } from "pino";

export type { Logger };

/** Fields that must not reach a log even when a caller passes them by mistake. */
const redacted = ["key", "token", "authorization", "password", "payload", "body", "secret", "text"];

/** JSON lines on standard output. Levels: trace, debug, info, warn, error, fatal. */
export function createLogger(options: { process: string; level: string }, destination?: DestinationStream): Logger {
  const settings = {
    level: options.level,
    base: { process: options.process },
    messageKey: "message",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redacted.flatMap((field) => [field, `*.${field}`]), remove: true },
  };
  return destination ? pino(settings, destination) : pino(settings);
}
