import { WebSocket } from "ws";
import { closeCodes, protocolLimits, protocolTimes } from "../../api/runtime/limits.ts";
import { GatewayMessage, type RuntimeMessage } from "../../api/runtime/messages.ts";
import { mostRefused, type RefusedFromAgent } from "../../api/runtime/refused-from-agent.ts";
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

/** How long the gateway may send nothing before it counts as gone, in milliseconds; it pings more often. */
const silenceMs = protocolTimes.pingMs + protocolTimes.pongMs;

/** One connection to the gateway; {@link ended} never rejects. */
export class GatewaySocket {
  readonly ended: Promise<SocketEnd>;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  #silenceTimer: Timer | undefined;
  #heartbeatTimer: Timer | undefined;
  /** Messages since the last heartbeat that this runtime does not know. */
  #ignored = 0;

  constructor(options: SocketOptions, handlers: SocketHandlers) {
    this.#clock = options.clock;
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

  close(): void {
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
        this.#heartbeat(handlers);
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
    const message = parse(data);
    // A newer gateway may send messages that this runtime does not know.
    if (message) handlers.onMessage(message);
    else this.#ignored += 1;
  }

  #restartSilenceTimer(): void {
    this.#silenceTimer?.cancel();
    this.#silenceTimer = this.#clock.setTimeout(() => this.#socket.terminate(), silenceMs);
  }

  #heartbeat(handlers: SocketHandlers): void {
    this.#heartbeatTimer = this.#clock.setTimeout(() => {
      const refused = handlers.refused();
      const ignored = Math.min(this.#ignored, mostRefused);
      this.#ignored = 0;
      this.send({ type: "heartbeat", ...(refused && { refused }), ...(ignored > 0 && { ignored }) });
      this.#heartbeat(handlers);
    }, protocolTimes.heartbeatMs);
  }

  #stop(): void {
    this.#silenceTimer?.cancel();
    this.#heartbeatTimer?.cancel();
  }
}

function parse(data: Buffer): GatewayMessage | undefined {
  try {
    return GatewayMessage.safeParse(JSON.parse(data.toString("utf8"))).data;
  } catch {
    return undefined;
  }
}
