import { WebSocket } from "ws";
import { closeCodes, protocolLimits, protocolTimes } from "../../api/runtime/limits.ts";
import { GatewayMessage, type RuntimeMessage } from "../../api/runtime/messages.ts";
import { mostRefused, type RefusedFromAgent } from "../../api/runtime/refused-from-agent.ts";
import { hasUnknownFields } from "../../api/runtime/unknown-fields.ts";
import type { Clock, Timer } from "../../lib/clock.ts";

export interface SocketOptions {
  url: string;
  authorization: string;
  /** The only trusted certificate authorities, PEM. */
  ca: string;
  clock: Clock;
}

export interface SocketHandlers {
  onOpen: () => void;
  /** Refusals since the last heartbeat. */
  refused: () => RefusedFromAgent | undefined;
  onMessage: (message: GatewayMessage) => void;
}

/** How a connection, or the attempt to connect, ended. `over`: the gateway has ended the attempt. `status`: HTTP answer to a refused connection. */
export interface SocketEnd {
  over: boolean;
  status?: number | undefined;
  code?: number | undefined;
}

/** How long a refusal waits for others before it is reported, in milliseconds. */
const gatherMs = 1_000;
/** How long the gateway may send nothing before it counts as gone, in milliseconds; it pings more often. */
const silenceMs = protocolTimes.pingMs + protocolTimes.pongMs;

/** One connection to the gateway; {@link ended} never rejects. */
export class GatewaySocket {
  readonly ended: Promise<SocketEnd>;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  #silenceTimer: Timer | undefined;
  #heartbeatTimer: Timer | undefined;
  #gatherTimer: Timer | undefined;
  readonly #handlers: SocketHandlers;
  /** Messages of a newer gateway since the last heartbeat: those that this runtime does not know, and those with unknown fields. */
  #ignored = { messages: 0, fields: 0 };

  constructor(options: SocketOptions, handlers: SocketHandlers) {
    this.#clock = options.clock;
    this.#handlers = handlers;
    const { url, authorization, ca } = options;
    this.#socket = new WebSocket(url, {
      headers: { authorization },
      ca,
      minVersion: "TLSv1.3",
      perMessageDeflate: false,
      maxPayload: protocolLimits.gatewayFrameBytes,
      handshakeTimeout: protocolTimes.helloMs,
      followRedirects: false,
    });
    this.ended = this.#follow(handlers);
  }

  send(message: RuntimeMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Reports refusals before the next heartbeat is due: a sandbox may live shorter than that. */
  reportRefusals(): void {
    this.#gatherTimer ??= this.#clock.setTimeout(() => this.#beat(), gatherMs);
  }

  close(): void {
    if (this.#gatherTimer) this.#beat();
    this.#socket.close(1000);
  }

  #follow(handlers: SocketHandlers): Promise<SocketEnd> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      let status: number | undefined;
      socket.on("unexpected-response", (request, response) => {
        status = response.statusCode;
        request.destroy();
        this.#stop();
        resolve({ over: status === 410, status });
      });
      // A close event follows, which ends the connection.
      socket.on("error", () => undefined);
      socket.on("open", () => {
        handlers.onOpen();
        this.#heartbeat();
      });
      socket.on("message", (data) => this.#receive(data as Buffer, handlers));
      socket.on("ping", () => this.#restartSilenceTimer());
      socket.on("close", (code) => {
        this.#stop();
        resolve({ over: code === closeCodes.over, code, status });
      });
      this.#restartSilenceTimer();
    });
  }

  #receive(data: Buffer, handlers: SocketHandlers): void {
    this.#restartSilenceTimer();
    const document = documentIn(data);
    const { data: message } = GatewayMessage.safeParse(document);
    if (message === undefined) {
      this.#ignored.messages += 1;
      return;
    }
    if (hasUnknownFields(document, message)) this.#ignored.fields += 1;
    handlers.onMessage(message);
  }

  #restartSilenceTimer(): void {
    this.#silenceTimer?.cancel();
    this.#silenceTimer = this.#clock.setTimeout(() => this.#socket.terminate(), silenceMs);
  }

  #heartbeat(): void {
    this.#heartbeatTimer = this.#clock.setTimeout(() => {
      this.#beat();
      this.#heartbeat();
    }, protocolTimes.heartbeatMs);
  }

  #beat(): void {
    this.#gatherTimer?.cancel();
    this.#gatherTimer = undefined;
    const refused = this.#handlers.refused();
    const ignored = Math.min(this.#ignored.messages, mostRefused);
    const ignoredFields = Math.min(this.#ignored.fields, mostRefused);
    this.#ignored = { messages: 0, fields: 0 };
    this.send({
      type: "heartbeat",
      ...(refused && { refused }),
      ...(ignored > 0 && { ignored }),
      ...(ignoredFields > 0 && { ignoredFields }),
    });
  }

  #stop(): void {
    this.#silenceTimer?.cancel();
    this.#heartbeatTimer?.cancel();
    this.#gatherTimer?.cancel();
  }
}

function documentIn(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString("utf8"));
  } catch {
    return undefined;
  }
}
