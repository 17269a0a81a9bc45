import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, request as tlsRequest } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { type ClusterCredentials, headersOf, tlsOf } from "../../hack/cluster/cluster.ts";
import { flowIn, type RequestFlow } from "./request-flow.ts";

/** What the proxy does to a request instead of passing it on faithfully. */
export type Fault =
  /** Answered by the proxy; the API server never sees it. */
  | { kind: "answer"; status: number; reason?: string; retryAfterSeconds?: number }
  /** Passed on late. */
  | { kind: "delay"; ms: number }
  /** The connection is reset before anything is passed on. */
  | { kind: "refuse" }
  /** Passed on, and the connection reset in place of the answer: the request was carried out. */
  | { kind: "lose" }
  /** Carried out, and answered when this is over: the moment between a write and the writer's knowing of it. */
  | { kind: "between"; run: () => void | Promise<void> }
  /** Answered faithfully up to so many bytes of the body. */
  | { kind: "break"; how: Break; afterBytes: number };

/**
 * How a stream ends: `reset` without a word, `halfClose` with a FIN in the middle while the other direction stays open,
 * `silence` stays open and says nothing more, `end` as a complete answer, `expired` with a 410 error event.
 */
export type Break = "reset" | "halfClose" | "silence" | "end" | "expired";

export interface SeenRequest {
  method: string;
  /** With the query. */
  path: string;
  isWatch: boolean;
  isWrite: boolean;
  /** Status of the API server's or the proxy's answer; 0 until there is one. */
  status: number;
  /** Whether the proxy answered in place of the API server. */
  isFaulty: boolean;
  /** Where the API server answered. */
  flow?: RequestFlow;
  /** Of a write through a proxy that keeps them: what was sent and answered. */
  content?: { type: string; body: string; answer: string };
}

/** Decides about each request, before it is passed on. */
export type Decide = (request: SeenRequest) => Fault | undefined | Promise<Fault | undefined>;

/**
 * A proxy in front of a real API server that breaks the requests that a test names. It speaks plain HTTP on loopback and uses
 * the upstream's credentials, unless a request brings a bearer token of its own.
 */
export interface FaultProxy {
  readonly url: string;
  /** Every request in the order of arrival. */
  readonly seen: SeenRequest[];
  /** Requests without an answer yet, watches aside. */
  underWay(): number;
  /** Watches that are open. */
  watches(): number;
  /** Whether a watch has passed on an object in this version. */
  hasPassed(resourceVersion: string): boolean;
  /** Open connections from clients. */
  connections(): number;
  /** Closes connections without a request under way. */
  closeIdle(): void;
  /** Has a fault decided for each request from now on; undefined = faithful. */
  decide(decide: Decide | undefined): void;
  /** Applies one fault to the next `times` requests that match. */
  inject(fault: Fault, options?: { matches?: (request: SeenRequest) => boolean; times?: number }): void;
  /** Breaks all watches that are open now; returns how many there were. */
  breakWatches(how: Break): number;
  /** A kubeconfig for processes that are to talk through the proxy, as admin or as another user. */
  kubeconfig(user?: string): string;
  close(): Promise<void>;
}

interface OpenWatch {
  answer: ServerResponse;
  upstream: IncomingMessage;
}

const expiredEvent = `${JSON.stringify({
  type: "ERROR",
  object: { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410, message: "too old" },
})}\n`;

export async function startFaultProxy(
  upstream: ClusterCredentials,
  { keepsContent = false } = {},
): Promise<FaultProxy> {
  const identified = new Agent({ keepAlive: true, ...tlsOf(upstream) });
  const anonymous = new Agent({ keepAlive: true, ca: upstream.certificateAuthority });
  const watches = new Set<OpenWatch>();
  const seen: SeenRequest[] = [];
  const passedVersions = new Set<string>();
  const injected: { fault: Fault; matches: (request: SeenRequest) => boolean; left: number }[] = [];
  let decide: Decide | undefined;
  let underWay = 0;

  async function faultFor(request: SeenRequest): Promise<Fault | undefined> {
    const next = injected.find(({ matches, left }) => left > 0 && matches(request));
    if (!next) return decide?.(request);
    next.left -= 1;
    return next.fault;
  }

  async function serve(message: IncomingMessage, answer: ServerResponse): Promise<void> {
    // A client that goes away takes its request to the API server with it.
    message.on("error", () => undefined);
    answer.on("error", () => undefined);
    const request = describe(message);
    seen.push(request);
    if (!request.isWatch) {
      underWay += 1;
      answer.on("close", () => (underWay -= 1));
    }
    const body = await readWhole(message);
    if (keepsContent && request.isWrite) {
      request.content = { type: message.headers["content-type"] ?? "", body: body.toString("utf8"), answer: "" };
    }
    const fault = await faultFor(request);
    if (fault?.kind === "delay") await delay(fault.ms);
    if (fault?.kind === "refuse") reset(answer);
    else if (fault?.kind === "answer") answerFault(request, answer, fault);
    else forward(message, { answer, request, body, fault });
  }

  function forward(
    message: IncomingMessage,
    {
      answer,
      request,
      body,
      fault,
    }: { answer: ServerResponse; request: SeenRequest; body: Buffer; fault: Fault | undefined },
  ): void {
    const agent = message.headers.authorization ? anonymous : identified;
    const headers = { ...headersOf(upstream), ...message.headers, host: new URL(upstream.server).host };
    const passedOn = tlsRequest(upstream.server + request.path, { agent, method: request.method, headers });
    passedOn.on("error", () => reset(answer));
    passedOn.on("response", (response) => {
      request.status = response.statusCode ?? 0;
      request.flow = flowIn(response.headers);
      response.on("error", () => reset(answer));
      if (fault?.kind === "lose") {
        response.resume();
        reset(answer);
        return;
      }
      void between(fault).then(() => {
        relay(response, answer, fault?.kind === "break" ? fault : undefined);
        const { content } = request;
        if (content) response.on("data", (chunk: Buffer) => (content.answer += chunk.toString("utf8")));
        if (!request.isWatch) return;
        track({ answer, upstream: response });
        noteVersions(response);
      });
    });
    answer.on("close", () => passedOn.destroy());
    passedOn.end(body);
  }

  function track(watch: OpenWatch): void {
    watches.add(watch);
    watch.answer.on("close", () => watches.delete(watch));
  }

  function noteVersions(response: IncomingMessage): void {
    let rest = "";
    response.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        for (const [, version = ""] of line.matchAll(/"resourceVersion":"(\d+)"/g)) passedVersions.add(version);
      }
    });
  }

  const server = createServer({ keepAliveTimeout: 120_000 }, (message, answer) => void serve(message, answer));
  const sockets = socketsOf(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    seen,
    underWay: () => underWay,
    watches: () => watches.size,
    hasPassed: (resourceVersion) => passedVersions.has(resourceVersion),
    connections: () => sockets.size,
    closeIdle: () => server.closeIdleConnections(),
    decide: (next) => (decide = next),
    inject: (fault, { matches = () => true, times = 1 } = {}) => void injected.push({ fault, matches, left: times }),
    breakWatches(how) {
      const open = [...watches];
      for (const { answer, upstream: response } of open) {
        response.removeAllListeners("data");
        response.removeAllListeners("end");
        breakAnswer(answer, how);
      }
      return open.length;
    },
    kubeconfig: (user) => kubeconfigFor(url, user),
    async close() {
      for (const socket of sockets) socket.destroy();
      identified.destroy();
      anonymous.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function between(fault: Fault | undefined): Promise<void> {
  if (fault?.kind === "between") await fault.run();
}

function describe(message: IncomingMessage): SeenRequest {
  const { method = "GET", url: path = "/" } = message;
  const isWatch = new URL(path, "http://proxy").searchParams.get("watch") === "true";
  return { method, path, isWatch, isWrite: !["GET", "HEAD"].includes(method), status: 0, isFaulty: false };
}

async function readWhole(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Passes an answer on, whole or up to its break. */
function relay(
  response: IncomingMessage,
  answer: ServerResponse,
  fault: { how: Break; afterBytes: number } | undefined,
): void {
  answer.writeHead(response.statusCode ?? 502, response.headers);
  answer.flushHeaders();
  let left = fault?.afterBytes ?? Infinity;
  response.on("data", (chunk: Buffer) => {
    if (left <= 0) return;
    answer.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (fault && left <= 0) breakAnswer(answer, fault.how);
  });
  response.on("end", () => {
    if (left > 0) answer.end();
  });
}

function breakAnswer(answer: ServerResponse, how: Break): void {
  switch (how) {
    case "reset":
      reset(answer);
      return;
    case "halfClose":
      answer.socket?.end();
      return;
    case "end":
      answer.end();
      return;
    case "expired":
      answer.write(expiredEvent);
      return;
    case "silence":
      return;
  }
}

function reset(answer: ServerResponse): void {
  answer.socket?.resetAndDestroy();
}

function answerFault(request: SeenRequest, answer: ServerResponse, fault: Extract<Fault, { kind: "answer" }>): void {
  const { status, reason = "InternalError", retryAfterSeconds } = fault;
  request.status = status;
  request.isFaulty = true;
  answer.statusCode = status;
  answer.setHeader("content-type", "application/json");
  if (retryAfterSeconds !== undefined) answer.setHeader("retry-after", retryAfterSeconds);
  answer.end(
    JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: status, reason, message: "injected" }),
  );
}

function socketsOf(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  return sockets;
}

function kubeconfigFor(server: string, user: string | undefined): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "proxy", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "proxy", user: user === undefined ? {} : { as: user } }],
    contexts: [{ name: "proxy", context: { cluster: "proxy", user: "proxy" } }],
    "current-context": "proxy",
  });
}
