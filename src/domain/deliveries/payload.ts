import { isPlainObject } from "../../lib/json-equal.ts";
import { Refusal } from "./refusal.ts";

/** Longest body of a delivery, in bytes: 64 KB. */
export const longestPayloadBytes = 65_536;

/** A delivery's body: the text as received without a byte order mark, and its JSON value. */
export interface Payload {
  text: string;
  value: unknown;
}

/** Without `ignoreBOM` the decoder drops a byte order mark. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a body as JSON in UTF-8. @throws Refusal `InvalidPayload` */
export function parsePayload(bytes: Uint8Array): Payload {
  if (bytes.length === 0) throw invalid("The body is empty; it must be JSON");
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalid("The body is not valid UTF-8");
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the body.
    throw invalid("The body is not valid JSON");
  }
}

function invalid(message: string): Refusal {
  return new Refusal({ code: "InvalidPayload", message });
}

/** The sender's key for this event: a non-empty string at the top level of an object, taken as it is. */
export function idempotencyKeyOf(value: unknown): string | undefined {
  if (!isPlainObject(value) || !Object.hasOwn(value, "idempotencyKey")) return undefined;
  const key = value.idempotencyKey;
  return typeof key === "string" && key !== "" ? key : undefined;
}

/** The key that is in a stored payload by default; undefined for one that is no JSON, as a person may have written it. */
export function payloadKey(payload: string | undefined): string | undefined {
  try {
    return idempotencyKeyOf(JSON.parse(payload ?? "null"));
  } catch {
    return undefined;
  }
}
