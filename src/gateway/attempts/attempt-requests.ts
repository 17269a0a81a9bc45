import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import type { z } from "zod";
import type { ChildAnswer } from "../../api/runtime/children.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import { withinBudget } from "../http/budget.ts";
import { refusalOf } from "../http/errors.ts";
import type { Gatekeeper } from "./gatekeeper.ts";
import { RequestError } from "./request-error.ts";
import { SessionPlaces } from "./session-places.ts";

/** A session's attempt whose sandbox asks. */
export interface Asking {
  session: Session;
  attempt: number;
  signal: AbortSignal;
}

/** One thing that runtimes ask over HTTP, at a path below that of their attempt. */
export interface RequestKind {
  path: string;
  /** Bytes of the largest body. */
  longest: number;
  /** @throws RequestError, or the refusals of the people's API */
  carryOut: (body: unknown, asking: Asking) => Promise<ChildAnswer>;
}

interface Deps {
  gatekeeper: Pick<Gatekeeper, "judge">;
  kinds: readonly RequestKind[];
  clock: Clock;
  logger: Logger;
  metrics: GatewayMetrics;
}

/** Milliseconds in which a request is carried out or answered 503; the runtime sends it again. */
const budgetMs = 20_000;
/** Requests of one kind and session at once. */
const mostOfASession = 4;

/** What runtimes ask over HTTP, fenced by session, attempt and pod as their connection is. */
export function attemptRequests(deps: Deps): RequestListener {
  const places = new SessionPlaces(mostOfASession);
  return (request, response) => {
    const kind = deps.kinds.find(({ path }) => request.url?.endsWith(path));
    if (!kind || request.method !== "POST") {
      send(response, 426, { error: "a WebSocket is spoken here", code: "UpgradeRequired" });
      return;
    }
    const answered = deps.metrics.sandboxDurations.startTimer({ path: kind.path });
    answer(deps, kind, { places, request })
      .catch((error: unknown) => refused(deps, error))
      .then(({ status, body }) => {
        deps.metrics.sandboxRequests.inc({ path: kind.path, status: String(status) });
        answered();
        send(response, status, body);
      })
      .catch(() => response.destroy());
  };
}

/** The body as what it must be. @throws RequestError */
export function parsed<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  throw new RequestError(400, "InvalidRequest", problems);
}

async function answer(
  { gatekeeper, clock }: Deps,
  { path, longest, carryOut }: RequestKind,
  { places, request }: { places: SessionPlaces; request: IncomingMessage },
): Promise<ChildAnswer> {
  const { url = "", headers } = request;
  const verdict = await gatekeeper.judge({ url: url.slice(0, -path.length), headers });
  if ("refuse" in verdict) {
    const { status, error, code } = verdict.refuse;
    return { status, body: { error, code } };
  }
  const { session, attempt } = verdict.admit;
  return oneOfFew(places, `${session.metadata.uid ?? ""}${path}`, async () => {
    const body = parseJson(await read(request, longest));
    return withinBudget(clock, budgetMs, (signal) => carryOut(body, { session, attempt, signal }));
  });
}

async function oneOfFew<T>(places: SessionPlaces, key: string, work: () => Promise<T>): Promise<T> {
  const leave = places.take(key);
  if (!leave) throw new RequestError(503, "Busy", "too many requests at once; try again");
  try {
    return await work();
  } finally {
    leave();
  }
}

async function read(request: IncomingMessage, longest: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longest) throw new RequestError(413, "PayloadTooLarge", "the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, "InvalidRequest", "the body is not JSON");
  }
}

function refused({ logger }: Deps, error: unknown): ChildAnswer {
  const { status, code, message } = error instanceof RequestError ? error : refusalOf(error);
  if (code === "Unavailable") logger.warn({ err: error }, "Could not carry out a sandbox's request");
  return { status, body: { error: message, code } };
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  const upgrade = status === 426 ? { upgrade: "websocket" } : {};
  response.writeHead(status, {
    ...upgrade,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  response.end(text);
}
