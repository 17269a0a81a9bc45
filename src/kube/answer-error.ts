import { KubeError, type StatusDetails } from "./errors.ts";
import type { ApiAnswer } from "./transport.ts";

/** Maximum length of a server message, which can quote whole fields. */
const longestMessage = 2_000;

interface Status {
  message?: unknown;
  reason?: unknown;
  details?: StatusDetails;
}

/**
 * The error for an unsuccessful answer. `what` names verb and object. With `sensitive`, the server's message on a
 * malformed body is left out, because it quotes the body.
 */
export function answerError(what: string, answer: ApiAnswer, sensitive: boolean): KubeError {
  const status = parseStatus(answer.text);
  const details = status.details;
  return new KubeError({
    message: `${what}: ${messageOf(status, answer, sensitive)}`,
    status: answer.status,
    reason: typeof status.reason === "string" && status.reason !== "" ? status.reason : "Unknown",
    delivery: "received",
    retryAfterSeconds: answer.retryAfterSeconds ?? details?.retryAfterSeconds,
    details,
  });
}

function messageOf(status: Status, answer: ApiAnswer, sensitive: boolean): string {
  if (sensitive && answer.status === 400) return "400 malformed request";
  const message = typeof status.message === "string" && status.message !== "" ? status.message : undefined;
  return (message ?? `answered ${answer.status}`).slice(0, longestMessage);
}

/** Proxies in front of the server answer with pages of their own, which are not shown. */
function parseStatus(text: string): Status {
  try {
    const parsed: unknown = JSON.parse(text);
    // A Status is the API server's own format; the fields that are used are checked where they are used.
    return isStatus(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}
