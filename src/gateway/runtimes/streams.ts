import type { AttemptId } from "../attempts/attempt.ts";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket } from "ws";
import { streamLimits } from "../../api/runtime/limits.ts";
import type { GatewayMessage, StreamUse } from "../../api/runtime/messages.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { ApiError } from "../http/errors.ts";

const failures = {
  TooManyStreams: `a session may have at most ${streamLimits.perSession} connections through its tunnels at once, a replica ${streamLimits.perReplica}`,
  SandboxNotConnected: "the session's sandbox is not connected; try again",
  SandboxSilent: "the session's sandbox does not answer; try again",
  PortClosed: "nothing answers at this port of the sandbox",
} as const;

/** A stream to a sandbox could not be opened or failed. */
export class NoStreamError extends ApiError {
  constructor(code: keyof typeof failures) {
    super(code, failures[code]);
  }
}

/** A runtime that is connected to this replica. */
export interface ConnectedRuntime extends AttemptId {
  send(message: Extract<GatewayMessage, { type: "openStream" }>): void;
}

interface Deps {
  clock: Clock;
  random: Pick<Random, "bytes">;
  /** Address of this replica for streams, `address:port`; undefined outside a cluster. */
  address: () => string | undefined;
}

interface Pending extends AttemptId {
  resolve(stream: Duplex): void;
  reject(error: NoStreamError): void;
  timer: Timer;
}

/**
 * Streams to sandboxes. The gateway asks the runtime over its connection; the runtime dials each stream with its own
 * token and the random name from the request. So sandboxes need not accept connections.
 */
export class Streams {
  readonly #deps: Deps;
  readonly #pending = new Map<string, Pending>();
  readonly #open = new Map<Duplex, AttemptId>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws NoStreamError */
  async open(runtime: ConnectedRuntime, use: StreamUse): Promise<Duplex> {
    const { sessionUid, attempt } = runtime;
    this.#checkLimits(sessionUid);
    const stream = this.#deps.random.bytes(24).toString("hex");
    const dialed = Promise.withResolvers<Duplex>();
    const late = (): void => this.#giveUp(stream, new NoStreamError("SandboxSilent"));
    const timer = this.#deps.clock.setTimeout(late, streamLimits.dialMs);
    this.#pending.set(stream, { sessionUid, attempt, timer, ...dialed });
    const address = this.#deps.address();
    runtime.send({ type: "openStream", stream, use, ...(address === undefined ? {} : { address }) });
    return dialed.promise;
  }

  /**
   * The function that takes the socket of a dialed stream; undefined when no request waits for the stream (any more). If
   * the upgrade fails it is not called, and the time limit of the dial goes on.
   */
  claim(stream: string, target: AttemptId): ((socket: WebSocket) => void) | undefined {
    const pending = this.#pending.get(stream);
    if (!pending || !isSame(pending, target)) return undefined;
    return (socket) => {
      this.#pending.delete(stream);
      pending.timer.cancel();
      pending.resolve(this.#join(socket, target));
    };
  }

  /** Ends the streams of a session's attempts that have ended. */
  end(sessionUid: string, isOver: (attempt: number) => boolean): void {
    const concerns = (of: AttemptId): boolean => of.sessionUid === sessionUid && isOver(of.attempt);
    for (const [stream, pending] of this.#pending) {
      if (concerns(pending)) this.#giveUp(stream, new NoStreamError("SandboxNotConnected"));
    }
    for (const [stream, target] of this.#open) if (concerns(target)) stream.destroy();
  }

  close(): void {
    for (const stream of this.#pending.keys()) this.#giveUp(stream, new NoStreamError("SandboxNotConnected"));
    for (const stream of this.#open.keys()) stream.destroy();
  }

  #join(socket: WebSocket, target: AttemptId): Duplex {
    const stream = createWebSocketStream(socket);
    this.#open.set(stream, target);
    stream.on("close", () => this.#open.delete(stream));
    stream.on("error", () => socket.terminate());
    socket.on("close", (code) => {
      if (code === streamLimits.portClosed) stream.destroy(new NoStreamError("PortClosed"));
    });
    return stream;
  }

  #giveUp(stream: string, error: NoStreamError): void {
    const pending = this.#pending.get(stream);
    this.#pending.delete(stream);
    pending?.timer.cancel();
    pending?.reject(error);
  }

  #checkLimits(sessionUid: string): void {
    const all = [...this.#pending.values(), ...this.#open.values()];
    const own = all.filter((target) => target.sessionUid === sessionUid).length;
    if (own >= streamLimits.perSession || all.length >= streamLimits.perReplica) {
      throw new NoStreamError("TooManyStreams");
    }
  }
}

function isSame(one: AttemptId, other: AttemptId): boolean {
  return one.sessionUid === other.sessionUid && one.attempt === other.attempt;
}
