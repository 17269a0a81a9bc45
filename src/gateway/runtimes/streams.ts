import type { AttemptId } from "../attempts/attempt.ts";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket } from "ws";
import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import { streamLimits } from "../../api/runtime/limits.ts";
import type { GatewayMessage, StreamUse } from "../../api/runtime/messages.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { setNewest } from "../../lib/set-newest.ts";
import { ApiError } from "../http/errors.ts";
import { UnreadFrames } from "./unread-frames.ts";

const failures = {
  SandboxNotConnected: "the session's sandbox is not connected; try again",
  SandboxSilent: "the session's sandbox does not answer; try again",
} as const;

/** Namespaces whose frames are counted; there are no more streams at once. */
const mostBudgets = streamLimits.perReplica;

/** A stream to a sandbox could not be opened or failed. */
export class NoStreamError extends ApiError {}

export function noStream(code: keyof typeof failures): NoStreamError {
  return new NoStreamError(code, failures[code]);
}

/** Nothing listens at a port, or what listened ended the connection. */
export function portClosed(port: number): NoStreamError {
  const what = `nothing answers at port ${port} of the sandbox`;
  return new NoStreamError(
    "PortClosed",
    `${what}: start the server there, at 127.0.0.1, ::1 or all addresses, and try again`,
  );
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
  /** Namespace of a session. */
  namespaceOf: (sessionUid: string) => string;
  /** Concurrent streams of one namespace. */
  perNamespace: number;
  /** A port of the attempt's sandbox is used. */
  used: (attempt: AttemptId) => void;
  /** Counts streams that a session or namespace has no share for. */
  refused: () => void;
  /** Counts streams that ended, as their namespace sent more frames than it may. */
  flooded: () => void;
}

/** The attempt of a stream, and the namespace whose share it is part of. */
interface Target extends AttemptId {
  namespace: string;
}

interface Pending extends Target {
  use: StreamUse;
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
  readonly #open = new Map<Duplex, Target>();
  readonly #budgets = new Map<string, FrameBudget>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws NoStreamError */
  async open(runtime: ConnectedRuntime, use: StreamUse): Promise<Duplex> {
    const { sessionUid, attempt } = runtime;
    const namespace = this.#deps.namespaceOf(sessionUid);
    this.#checkLimits(sessionUid, namespace);
    const stream = this.#deps.random.bytes(24).toString("hex");
    const dialed = Promise.withResolvers<Duplex>();
    const late = (): void => this.#giveUp(stream, noStream("SandboxSilent"));
    const timer = this.#deps.clock.setTimeout(late, streamLimits.dialMs);
    this.#pending.set(stream, { sessionUid, attempt, namespace, use, timer, ...dialed });
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
      pending.resolve(this.#join(socket, pending));
    };
  }

  /** Ends the streams of a session's attempts that have ended. */
  end(sessionUid: string, isOver: (attempt: number) => boolean): void {
    const concerns = (of: AttemptId): boolean => of.sessionUid === sessionUid && isOver(of.attempt);
    for (const [stream, pending] of this.#pending) {
      if (concerns(pending)) this.#giveUp(stream, noStream("SandboxNotConnected"));
    }
    for (const [stream, target] of this.#open) if (concerns(target)) stream.destroy();
  }

  close(): void {
    for (const stream of this.#pending.keys()) this.#giveUp(stream, noStream("SandboxNotConnected"));
    for (const stream of this.#open.keys()) stream.destroy();
  }

  #join(socket: WebSocket, { sessionUid, attempt, namespace, use }: Pending): Duplex {
    const stream = createWebSocketStream(socket);
    const endFor = (message: string): void => {
      if (stream.destroyed) return;
      this.#deps.flooded();
      stream.destroy(new NoStreamError("PortClosed", message));
    };
    const unread = new UnreadFrames(() => endFor(tooManyPings));
    const pay = (bytes: number): void => {
      if (!this.#pays(namespace, bytes)) endFor(tooManyFrames(namespace));
    };
    socket.on("message", (data: Buffer) => pay(data.length));
    socket.on("ping", (data) => {
      pay(0);
      if (socket.readyState === socket.OPEN) socket.pong(data, false, unread.begin());
    });
    socket.on("pong", () => pay(0));
    if ("port" in use) {
      this.#deps.used({ sessionUid, attempt });
      socket.on("message", () => this.#deps.used({ sessionUid, attempt }));
    }
    this.#open.set(stream, { sessionUid, attempt, namespace });
    stream.on("close", () => this.#open.delete(stream));
    stream.on("error", () => socket.terminate());
    socket.on("close", (code) => {
      if (code === streamLimits.portClosed && "port" in use) stream.destroy(portClosed(use.port));
    });
    return stream;
  }

  /** Whether a frame of so many bytes is within what its namespace may send. */
  #pays(namespace: string, bytes: number): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    const budget = this.#budgets.get(namespace) ?? new FrameBudget(streamLimits.frames, nowMs);
    setNewest(this.#budgets, namespace, budget, mostBudgets);
    return budget.take(nowMs, Math.max(0, 1 - bytes / streamLimits.freeBytes));
  }

  #giveUp(stream: string, error: NoStreamError): void {
    const pending = this.#pending.get(stream);
    this.#pending.delete(stream);
    pending?.timer.cancel();
    pending?.reject(error);
  }

  /** A namespace may have as many as are free, as with {@link FairShares}, so that the next one finds some. */
  #checkLimits(sessionUid: string, namespace: string): void {
    const all = [...this.#pending.values(), ...this.#open.values()];
    const ofSession = all.filter((target) => target.sessionUid === sessionUid).length;
    const ofNamespace = all.filter((target) => target.namespace === namespace).length;
    const share = Math.min(this.#deps.perNamespace, streamLimits.perReplica - all.length);
    if (ofSession < streamLimits.perSession && ofNamespace < share) return;
    this.#deps.refused();
    const message =
      ofSession >= streamLimits.perSession
        ? `the session has ${streamLimits.perSession} connections to its sandbox at once, which is as many as it may have: close some`
        : `namespace ${namespace} has ${ofNamespace} connections to its sandboxes at once, its share: at most ${this.#deps.perNamespace}, and no more than are free of ${streamLimits.perReplica}. Close tunnels, or ask the platform team for more (gateway.limits.streamsPerNamespace, gateway.replicas)`;
    throw new NoStreamError("TooManyStreams", message);
  }
}

const tooManyPings = "the sandbox asks for more answers to pings than it reads: its runtime is none of ours, or hangs";

function tooManyFrames(namespace: string): string {
  const { burst, perSecond } = streamLimits.frames;
  return `namespace ${namespace} sends more small frames through its tunnels than ${perSecond.toLocaleString("en")} a second after ${burst.toLocaleString("en")} at once: have the sandbox send fewer and larger ones, or ask the platform team for more (gateway.replicas)`;
}

function isSame(one: AttemptId, other: AttemptId): boolean {
  return one.sessionUid === other.sessionUid && one.attempt === other.attempt;
}
