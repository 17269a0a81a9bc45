import { connect } from "node:net";
import { join } from "node:path";
import type { z } from "zod";
import { LineSocket } from "./line-socket.ts";
import { localLimits, localSocketName, type OpeningMessage } from "./messages.ts";

interface Answering<T> {
  schema: z.ZodType<T>;
  /** Stands for an answer that does not come or cannot be read. */
  otherwise: T;
  /** How long the runtime may take, in milliseconds; 0 for any time. */
  answerMs: number;
}

/** Asks the runtime over the shared socket; never rejects. */
export function askRuntime<T>(
  socketDirectory: string,
  request: OpeningMessage,
  { schema, otherwise, answerMs }: Answering<T>,
): Promise<T> {
  return new Promise((resolve) => {
    const socket = connect(join(socketDirectory, localSocketName));
    socket.setTimeout(answerMs, () => socket.destroy());
    const lines = new LineSocket(socket, localLimits.toAgentBytes, (document) => resolve(schema.parse(document)));
    lines.onClose(() => resolve(otherwise));
    lines.send(request);
  });
}
