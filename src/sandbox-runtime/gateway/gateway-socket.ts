import { WebSocket } from "ws";
import { closeCodes, protocolLimits, protocolTimes } from "../../api/runtime/limits.ts";
import { GatewayMessage, type RuntimeMessage } from "../../api/runtime/messages.ts";
import type { RefusedFromAgent } from "../../api/runtime/refused-from-agent.ts";
import type { Clock, Timer } from "../../lib/clock.ts";

export interface SocketOptions {
  url: string;
  token: string;
  /** Certificate authorities of the gateway, PEM; no other is trusted. */
  ca: string;
  clock: Clock;
}

export interface SocketHandlers {
  opened: () => void;
  /** What was refused since the last heartbeat. */
  refused: () => RefusedFromAgent | undefined;
  heard: (message: GatewayMessage) => void;
}

/** How a connection or the attempt at one ended. `status` is the HTTP answer of a refused one. */
export interface SocketEnd {
  over: boolean;
  status?: number | undefined;
  code?: number | undefined;
}

/** The gateway pings; longer silence than this means that it is gone, in milliseconds. */
const silenceMs = protocolTimes.pingMs + protocolTimes.pongMs;

/** One connection to the gateway; resolves {@link ended} exactly once and never throws. */
export class GatewaySocket {
  readonly ended: Promise<SocketEnd>;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  #silence: Timer | undefined;
  #beat: Timer | undefined;

  constructor(options: SocketOptions, handlers: SocketHandlers) {
    this.#clock = options.clock;
    this.#socket = new WebSocket(options.url, {
      headers: { authorization: `Bearer ${options.token}` },
      ca: options.ca,
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
      // What went wrong shows in the close that follows.
      socket.on("error", () => undefined);
      socket.on("open", () => {
        handlers.opened();
        this.#heartbeat(handlers);
      });
      socket.on("message", (data) => this.#hear(data as Buffer, handlers));
      socket.on("ping", () => this.#listenOn());
      socket.on("close", (code) => {
        this.#stop();
        resolve({ over: code === closeCodes.over, code, status });
      });
      this.#listenOn();
    });
  }

  #hear(data: Buffer, handlers: SocketHandlers): void {
    this.#listenOn();
    const message = parse(data);
    // A gateway that is newer than this runtime may say more than it knows.
    if (message) handlers.heard(message);
  }

  #listenOn(): void {
    this.#silence?.cancel();
    this.#silence = this.#clock.setTimeout(() => this.#socket.terminate(), silenceMs);
  }

  #heartbeat(handlers: SocketHandlers): void {
    this.#beat = this.#clock.setTimeout(() => {
      const refused = handlers.refused();
      this.send({ type: "heartbeat", ...(refused && { refused }) });
      this.#heartbeat(handlers);
    }, protocolTimes.heartbeatMs);
  }

  #stop(): void {
    this.#silence?.cancel();
    this.#beat?.cancel();
  }
}

function parse(data: Buffer): GatewayMessage | undefined {
  try {
    return GatewayMessage.safeParse(JSON.parse(data.toString("utf8"))).data;
  } catch {
    return undefined;
  }
}
