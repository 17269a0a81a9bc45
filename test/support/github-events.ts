import { createHmac } from "node:crypto";

/** The headers with which GitHub sends a body. */
export function githubHeaders(
  bytes: Uint8Array,
  { type, deliveryId, secret }: { type: string; deliveryId: string; secret: string },
): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-github-event": type,
    "x-github-delivery": deliveryId,
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`,
  };
}
