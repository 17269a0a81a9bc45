import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { streamLimits } from "../../src/api/runtime/limits.ts";
import type { StreamUse } from "../../src/api/runtime/messages.ts";
import { type ConnectedRuntime, noStream, type Streams } from "../../src/gateway/runtimes/streams.ts";
import { markWhole, whole } from "../../src/lib/whole-stream.ts";
import type { ProcessParts } from "./cluster.ts";

/** What a runtime does with a stream: sends a workspace, or a part of it, or takes one, which is undefined where it broke off. */
export type StreamEnd = { sends: string; breaksOff: boolean } | { takes: (workspace: string | undefined) => void };

/** Streams of workspaces between one gateway and its runtimes. What is sent arrives as a whole; what can go wrong is the dialing. */
export class SimulatedStreams {
  readonly #parts: ProcessParts;
  readonly #pending = new Map<string, (stream: PassThrough) => void>();

  constructor(parts: ProcessParts) {
    this.#parts = parts;
  }

  /** As a hub takes it. */
  get own(): Streams {
    return this as unknown as Streams;
  }

  open(runtime: ConnectedRuntime, use: StreamUse): Promise<PassThrough> {
    const { clock, random } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<PassThrough>();
    const stream = random.bytes(24).toString("hex");
    const timer = clock.setTimeout(() => {
      this.#pending.delete(stream);
      reject(noStream("SandboxSilent"));
    }, streamLimits.dialMs);
    this.#pending.set(stream, (dialed) => {
      timer.cancel();
      resolve(dialed);
    });
    runtime.send({ type: "openStream", stream, use });
    return promise;
  }

  dialed(stream: string, end: StreamEnd): void {
    const take = this.#pending.get(stream);
    this.#pending.delete(stream);
    if (!take) return;
    const socket = new PassThrough();
    // One that the gateway ends early fails without harm.
    socket.on("error", () => undefined);
    if ("takes" in end) {
      text(Readable.from(whole(socket))).then(end.takes, () => end.takes(undefined));
    } else if (end.breaksOff) socket.end("a part");
    else Readable.from(markWhole(Readable.from([Buffer.from(end.sends)]))).pipe(socket);
    take(socket);
  }
}
