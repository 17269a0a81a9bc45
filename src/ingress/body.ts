import type { IncomingMessage } from "node:http";

import { longestPayloadBytes } from "../domain/deliveries/payload.ts";
import { Refusal } from "../domain/deliveries/refusal.ts";

/** The sender went away before its request was whole; there is nobody to answer. */
export class SenderGoneError extends Error {
  override readonly name = "SenderGoneError";
}

/**
 * Reads a body whole, counting bytes as they come: one that is too large is refused at the first byte too many, or at
 * once where its declared length says so.
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > longestPayloadBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= longestPayloadBytes) return void chunks.push(chunk);
      request.off("data", take);
      reject(tooLarge());
    };
    request.on("data", take);
    request.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // An error is always followed by close, but must have a listener.
    request.on("error", () => undefined);
    request.once("close", () => {
      if (!request.complete) reject(new SenderGoneError());
    });
  });
}

function tooLarge(): Refusal {
  return new Refusal({
    code: "PayloadTooLarge",
    message: `The body is larger than ${longestPayloadBytes.toLocaleString("en")} bytes`,
  });
}
