import { Buffer } from "node:buffer";
import type { Secret } from "../../../kube/core-resources.ts";

/** The value of one key; undefined when it is missing, empty or no UTF-8. A final line end is an editor's, not the value's. */
export function textOf(secret: Secret, key: string): string | undefined {
  const encoded = secret.data?.[key];
  if (encoded === undefined) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64"));
    return text.replace(/\r?\n$/, "") || undefined;
  } catch {
    return undefined;
  }
}
