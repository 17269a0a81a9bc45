import type { IncomingMessage } from "node:http";

import { Refusal } from "../domain/deliveries/refusal.ts";

/** The sender closed the connection before its request was complete, so no answer can be sent. */
export class SenderGoneError extends Error {
  override readonly name = "SenderGoneError";
}

export interface BodyReading {
  longestBytes: number;
  /** Called with each part as it arrives; a Refusal ends the reading. */
  onBytes?: ((bytes: Buffer) => Refusal | undefined) | undefined;
}

/**
 * Reads a whole body of at most so many bytes. One that is too large is refused at its first byte over the limit, or at once by its
 * Content-Length. @throws Refusal `PayloadTooLarge` @throws SenderGoneError
 */
export function readBody(request: IncomingMessage, { longestBytes, onBytes }: BodyReading): Promise<Buffer> {
  if (request.destroyed) return Promise.reject(new SenderGoneError());
  if (Number(request.headers["content-length"] ?? 0) > longestBytes) return Promise.reject(tooLarge(longestBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      const refusal = bytes > longestBytes ? tooLarge(longestBytes) : onBytes?.(chunk);
      if (!refusal) return void chunks.push(chunk);
      request.off("data", take);
      reject(refusal);
    };
    request.on("data", take);
    request.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Node throws an error without a listener; `close` always follows it.
    request.on("error", () => undefined);
    request.once("close", () => {
      if (!request.complete) reject(new SenderGoneError());
    });
  });
}

function tooLarge(longestBytes: number): Refusal {
  return new Refusal({
    code: "PayloadTooLarge",
    message: `The body is larger than ${longestBytes.toLocaleString("en")} bytes`,
  });
}
