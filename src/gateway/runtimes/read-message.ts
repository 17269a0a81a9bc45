import { z } from "zod";
import { RuntimeMessage, Sequence } from "../../api/runtime/messages.ts";
import { hasUnknownFields } from "../../api/runtime/unknown-fields.ts";

/** A message of a newer runtime, or an event of a kind that this gateway does not know. A numbered one wants its number acknowledged. */
export interface UnknownMessage {
  type: "unknown";
  seq?: number | undefined;
}

export interface ReadMessage {
  message: RuntimeMessage | UnknownMessage;
  /** A newer runtime said more than was read. */
  hasUnknownFields: boolean;
}

const Numbered = z.object({ seq: Sequence.optional() });

/** A frame's text as a message; undefined when it is none, or a known one with a content that it must not have. */
export function readMessage(text: string): ReadMessage | undefined {
  const document = documentIn(text);
  const { data: message, error } = RuntimeMessage.safeParse(document);
  if (message) return { message, hasUnknownFields: hasUnknownFields(document, message) };
  if (!error.issues.every((issue) => isUnknownKind(issue, document))) return undefined;
  const numbered = Numbered.safeParse(document).data;
  return numbered && { message: { type: "unknown", ...numbered }, hasUnknownFields: false };
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether this alone is wrong: a `type` or `kind` that is a text and none of ours. */
function isUnknownKind({ code, path, ...issue }: z.core.$ZodIssue, document: unknown): boolean {
  if (code !== "invalid_union" || !("discriminator" in issue)) return false;
  const kind = path.reduce<unknown>((value, key) => (isObject(value) ? value[String(key)] : undefined), document);
  return typeof kind === "string";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
