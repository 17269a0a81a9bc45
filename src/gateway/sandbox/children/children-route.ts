import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import { type ChildAnswer, ChildRequest, childrenPath, longestChildRequest } from "../../../api/runtime/children.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../telemetry/logger.ts";
import type { GatewayMetrics } from "../../metrics.ts";
import { withinBudget } from "../../people/budget.ts";
import { refusalOf } from "../../people/errors.ts";
import type { Gatekeeper } from "../gatekeeper.ts";
import { ChildError } from "./child-error.ts";
import type { ChildSessions } from "./child-sessions.ts";

interface Deps {
  gatekeeper: Pick<Gatekeeper, "judge">;
  children: Pick<ChildSessions, "carryOut">;
  clock: Clock;
  logger: Logger;
  metrics: GatewayMetrics;
}

/** Milliseconds in which a request is carried out or answered 503; the runtime sends it again. */
const budgetMs = 20_000;
/** Requests of one session at once. */
const mostOfASession = 4;

/** What runtimes ask over HTTP: requests about child sessions, fenced by session, attempt and pod as their connection is. */
export function childrenRoute(deps: Deps): RequestListener {
  const underWay = new Map<string, number>();
  return (request, response) => {
    answer(deps, underWay, request)
      .catch((error: unknown) => refused(deps, error))
      .then(({ status, body }) => {
        deps.metrics.childRequests.inc({ status: String(status) });
        send(response, status, body);
      })
      .catch(() => response.destroy());
  };
}

async function answer(deps: Deps, underWay: Map<string, number>, request: IncomingMessage): Promise<ChildAnswer> {
  const { url = "", method, headers } = request;
  if (!url.endsWith(childrenPath) || method !== "POST") {
    return { status: 426, body: { error: "a WebSocket is spoken here", code: "UpgradeRequired" } };
  }
  const verdict = await deps.gatekeeper.judge({ url: url.slice(0, -childrenPath.length), headers });
  if ("refuse" in verdict) {
    const { status, error, code } = verdict.refuse;
    return { status, body: { error, code } };
  }
  const { session, attempt } = verdict.admit;
  return oneOfFew(underWay, session, async () => {
    const asked = parse(await read(request));
    return withinBudget(deps.clock, budgetMs, (signal) => deps.children.carryOut(asked, { session, attempt, signal }));
  });
}

async function oneOfFew<T>(underWay: Map<string, number>, session: Session, work: () => Promise<T>): Promise<T> {
  const { uid = "" } = session.metadata;
  const before = underWay.get(uid) ?? 0;
  if (before >= mostOfASession) throw new ChildError(503, "Busy", "too many requests at once; try again");
  underWay.set(uid, before + 1);
  try {
    return await work();
  } finally {
    const left = (underWay.get(uid) ?? 1) - 1;
    if (left === 0) underWay.delete(uid);
    else underWay.set(uid, left);
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestChildRequest) throw new ChildError(413, "PayloadTooLarge", "the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): ChildRequest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ChildError(400, "InvalidRequest", "the body is not JSON");
  }
  const { success, data, error } = ChildRequest.safeParse(json);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  throw new ChildError(400, "InvalidRequest", problems);
}

function refused({ logger }: Deps, error: unknown): ChildAnswer {
  const { status, code, message } = error instanceof ChildError ? error : refusalOf(error);
  if (code === "Unavailable") logger.warn({ err: error }, "Could not carry out a request about child sessions");
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
