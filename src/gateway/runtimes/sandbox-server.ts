import { STATUS_CODES, type IncomingMessage, type RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../lib/clock.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { readWhole } from "../../lib/read-in-parts.ts";
import { mostPieces } from "../../lib/whole-body.ts";
import { arrivalLimits, limitAddresses } from "../../lib/address-cap.ts";
import { FairRate } from "../http/fair-rate.ts";
import { FairShares } from "../../lib/fair-shares.ts";
import { Slowdown } from "../../lib/slowdown.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { RefusalReason } from "../metrics/refusals.ts";
import { createTlsServer, type TlsServer } from "../http/tls-server.ts";
import type { Streams } from "./streams.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import type { Gatekeeper } from "../attempts/gatekeeper.ts";
import type { SandboxRefusal } from "../attempts/refuse.ts";
import { SessionRate } from "../attempts/session-rate.ts";
import { isWaitingPath, type judgeWaiting } from "../attempts/waiting-gatekeeper.ts";
import type { WaitingRoom } from "./waiting-room.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";
import type { Hub } from "./hub.ts";

interface Deps {
  clock: Clock;
  gatekeeper: Pick<Gatekeeper<AttemptOwner>, "judge">;
  hub: Hub;
  streams: Pick<Streams, "claim">;
  /** Where runtimes of pools wait, and who may. */
  waiting: {
    room: Pick<WaitingRoom, "welcome">;
    judge: (request: Pick<IncomingMessage, "url" | "headers">) => ReturnType<typeof judgeWaiting>;
  };
  metrics: GatewayMetrics;
  /** Whether this replica's own Lease is live: runtimes that connect while it is not would not be vouched for. */
  isLive: () => boolean;
  /** Requests other than WebSocket upgrades. */
  requests: RequestListener;
  /** Concurrent connections of one remote address that have not been admitted. */
  connectionsPerAddress: number;
}

/** Concurrent connections that have not been admitted: a quarter of all, so that those of runtimes are never crowded out. */
const mostUnproved = 1_024;

/** Refusals that a runtime does not meet, but for a moment; others are part of starts, ends and outages. */
const failures: ReadonlySet<RefusalReason> = new Set(["NotFound", "Unauthorized", "TokenNotAccepted", "NotThisPod"]);

/** The port that runtimes connect to: WebSockets at the path of an attempt, and requests below it. */
export function createSandboxServer(deps: Deps): TlsServer {
  const rate = new SessionRate(deps.clock);
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: protocolLimits.runtimeFrameBytes,
    // Both cost more than their bytes, and no runtime sends them: messages in parts, and frames in tiny packets.
    maxFragments: 1,
    // Pings are in the budget of frames, and answers in that of unread ones, whose ends are counted.
    autoPong: false,
    maxBufferedChunks: mostPieces(protocolLimits.runtimeFrameBytes, protocolLimits.runtimeFrameBytes),
  });
  const tls = createTlsServer({ minVersion: "TLSv1.3", clock: deps.clock }, deps.requests);
  const dropped = (reason: RefusalReason): void => deps.metrics.refusals.inc({ reason });
  const slowdown = new Slowdown(deps.clock);
  const shares = new FairShares({ places: mostUnproved, perKey: deps.connectionsPerAddress });
  const arrivals = new FairRate(arrivalLimits, deps.clock);
  const proved = limitAddresses(tls.server, { shares, arrivals, slowdown }, dropped);
  tls.server.on("drop", () => dropped("TooManyConnections"));
  tls.server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // Without a listener, a peer that disconnects would cause an uncaught exception.
    stream.on("error", ignore);
    const { socket } = request;
    readWhole(socket);
    const { remoteAddress = "" } = socket;
    answerUpgrade({ ...deps, rate }, sockets, { request, stream, head })
      .then((refusal) => {
        if (refusal === undefined) proved(socket);
        else if (failures.has(refusal)) slowdown.failed(remoteAddress);
      })
      .catch(() => stream.destroy());
  });
  return tls;
}

interface UpgradeDeps extends Deps {
  /** Connections of each session, or of each pod that waits: each costs reviews and a write of its Lease. */
  rate: Pick<SessionRate, "allows">;
}

/** Returns why the connection was refused; undefined when it was admitted. */
async function answerUpgrade(
  deps: UpgradeDeps,
  sockets: WebSocketServer,
  upgrade: { request: IncomingMessage; stream: Duplex; head: Buffer },
): Promise<RefusalReason | undefined> {
  const { hub, streams, metrics } = deps;
  const { request, stream, head } = upgrade;
  if (isWaitingPath(request.url ?? "")) return answerWaiting(deps, sockets, upgrade);
  const admittance = await judgeUpgrade(deps, request);
  if ("refuse" in admittance) return turnAway(metrics, stream, admittance.refuse);
  const { owner, attempt, stream: name } = admittance.admit;
  metrics.upgrades.inc({ answer: "admitted" });
  if (stream.destroyed) return undefined;
  const welcome =
    name === undefined
      ? (socket: WebSocket): void => hub.welcome(socket, admittance.admit)
      : streams.claim(name, { sessionUid: owner.metadata.uid ?? "", attempt });
  if (!welcome) {
    refuse(stream, new SandboxError(404, "NotFound", "no request waits for this stream"));
    // Not a failure: the request may have ended meanwhile.
    return "AttemptOver";
  }
  stream.off("error", ignore);
  sockets.handleUpgrade(request, stream, head, welcome);
  return undefined;
}

/** A stream comes for each request of a person's, and only where one waits. */
async function judgeUpgrade(
  { gatekeeper, isLive, rate }: UpgradeDeps,
  request: IncomingMessage,
): ReturnType<UpgradeDeps["gatekeeper"]["judge"]> {
  const admittance = isLive() ? await gatekeeper.judge(request) : { refuse: notLive };
  if ("refuse" in admittance) return admittance;
  const { owner, stream } = admittance.admit;
  const isWithinRate = stream !== undefined || rate.allows(owner.metadata.uid ?? "", "/connect");
  return isWithinRate ? admittance : { refuse: tooOften };
}

/** As {@link answerUpgrade}, of a runtime that waits for a session. */
async function answerWaiting(
  { waiting, metrics, isLive, rate }: UpgradeDeps,
  sockets: WebSocketServer,
  { request, stream, head }: { request: IncomingMessage; stream: Duplex; head: Buffer },
): Promise<RefusalReason | undefined> {
  const admittance = isLive() ? await waiting.judge(request) : { refuse: notLive };
  if ("refuse" in admittance) return turnAway(metrics, stream, admittance.refuse);
  if (!rate.allows(admittance.admit, "/wait")) return turnAway(metrics, stream, tooOften);
  metrics.upgrades.inc({ answer: "admitted" });
  if (stream.destroyed) return undefined;
  stream.off("error", ignore);
  sockets.handleUpgrade(request, stream, head, (socket) => waiting.room.welcome(socket, admittance.admit));
  return undefined;
}

function turnAway(metrics: GatewayMetrics, stream: Duplex, refusal: SandboxRefusal): RefusalReason {
  metrics.upgrades.inc({ answer: answerOf(refusal) });
  metrics.refusals.inc({ reason: refusal.code });
  if (!stream.destroyed) refuse(stream, refusal);
  return refusal.code;
}

const notLive = new SandboxError<RefusalReason>(
  503,
  "LeaseLapsed",
  "this replica cannot reach the API server; try again",
);

const tooOften = new SandboxError<RefusalReason>(
  503,
  "Busy",
  "the sandbox has connected 240 times and connects more often than twice a second; try again",
);

function answerOf({ status }: SandboxRefusal): string {
  if (status === 503) return "retry";
  if (status === 410) return "over";
  return status === 403 ? "foreign" : "invalid";
}

function refuse(stream: Duplex, error: SandboxError): void {
  const { status } = error;
  const body = JSON.stringify(error.body);
  const retry = status === 503 ? "Retry-After: 2\r\n" : "";
  stream.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nConnection: close\r\n${retry}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // Do not keep the socket for a peer that does not close it.
  stream.once("finish", () => stream.destroy());
}

function ignore(): void {
  // The connection is closed already.
}
