import type { IncomingMessage, RequestListener } from "node:http";

import type { z } from "zod";
import type { ChildAnswer } from "../../api/runtime/children.ts";
import type { BodyBudget } from "../../lib/body-budget.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import { withinBudget } from "../http/budget.ts";
import { FairShares } from "../../lib/fair-shares.ts";
import { type ApiError, apiErrorOf } from "../http/errors.ts";
import { answerJson } from "../http/json-answer.ts";
import type { Gatekeeper } from "./gatekeeper.ts";
import type { AttemptOwner } from "./owner.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { SessionRate } from "./session-rate.ts";
import { BodyError, type BodyReading, readWholeBody } from "../../lib/whole-body.ts";

/** The attempt whose sandbox sent a request. */
export interface Asking {
  owner: AttemptOwner;
  attempt: number;
  signal: AbortSignal;
}

/** One kind of HTTP requests of runtimes, at a path below that of their attempt. */
export interface RequestKind {
  path: string;
  /** Limit of the body, in bytes. */
  maxBytes: number;
  /** @throws SandboxError, ApiError */
  handle(body: unknown, asking: Asking): Promise<ChildAnswer>;
}

interface Deps {
  gatekeeper: Pick<Gatekeeper<AttemptOwner>, "judge">;
  kinds: readonly RequestKind[];
  /** Shared by namespace. */
  bodies: BodyBudget;
  rate: Pick<SessionRate, "take">;
  clock: Clock;
  logger: Logger;
  metrics: GatewayMetrics;
}

/** Time limit of a request in milliseconds; then it is answered with 503, and the runtime repeats it. */
const budgetMs = 20_000;
/** Concurrent requests of one kind and session. */
const mostOfASession = 4;
const upgradeRequired = {
  status: 426,
  body: { error: "a WebSocket is spoken here", code: "UpgradeRequired" },
  headers: { upgrade: "websocket" },
};

/** HTTP requests of runtimes, fenced by session, attempt and pod like their connections. */
export function attemptRequests(deps: Deps): RequestListener {
  const shares = new FairShares({ perKey: mostOfASession });
  return (request, response) => {
    const kind = deps.kinds.find(({ path }) => request.url?.endsWith(path));
    if (!kind || request.method !== "POST") {
      answerJson(response, upgradeRequired);
      return;
    }
    const answered = deps.metrics.sandboxDurations.startTimer({ path: kind.path });
    answer(deps, kind, { shares, request })
      .catch((error: unknown) => refused(deps, error))
      .then((result) => {
        deps.metrics.sandboxRequests.inc({ path: kind.path, status: String(result.status) });
        answered();
        answerJson(response, result);
      })
      .catch(() => response.destroy());
  };
}

/** The parsed body. @throws SandboxError */
export function parsed<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  throw new SandboxError(400, "InvalidRequest", problems);
}

async function answer(
  { gatekeeper, bodies, rate, clock }: Deps,
  kind: RequestKind,
  { shares, request }: { shares: FairShares; request: IncomingMessage },
): Promise<ChildAnswer> {
  const { path, maxBytes } = kind;
  const { url = "", headers } = request;
  const admittance = await gatekeeper.judge({ url: url.slice(0, -path.length), headers });
  if ("refuse" in admittance) throw admittance.refuse;
  const { owner, attempt } = admittance.admit;
  const { uid = "", namespace } = owner.metadata;
  rate.take(uid, path);
  const work = (): Promise<ChildAnswer> =>
    bodies.lend(async (room) => {
      const body = parseJson((await readBody(request, { longestBytes: maxBytes, room })).toString("utf8"));
      return withinBudget(clock, budgetMs, (signal) => kind.handle(body, { owner, attempt, signal }));
    }, namespace);
  const busy = (): Error =>
    new SandboxError(503, "Busy", `a session has ${mostOfASession} requests at once; try again`);
  return shares.run(`${uid}${path}`, work, busy);
}

/**
 * The whole body. @throws SandboxError for one that is too large, comes in too many pieces or finds no room
 * @throws BodyError for one that breaks off
 */
export async function readBody(request: IncomingMessage, reading: BodyReading): Promise<Buffer> {
  return readWholeBody(request, reading).catch((error: unknown) => {
    if (!(error instanceof BodyError) || error.problem === "SenderGone") throw error;
    if (error.problem === "NoRoom") throw new SandboxError(503, "Busy", noRoom);
    throw new SandboxError(413, "PayloadTooLarge", "the request is too large");
  });
}

const noRoom =
  "the namespace has its share of the 48 MiB that the gateway has for bodies of sandboxes; try again, or ask the platform team for more (gateway.replicas)";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SandboxError(400, "InvalidRequest", "the body is not JSON");
  }
}

function refused({ logger }: Deps, error: unknown): ChildAnswer {
  const known: SandboxError | ApiError = error instanceof SandboxError ? error : apiErrorOf(error);
  const { status, code, message } = known;
  if (code === "Unavailable") logger.warn({ err: error }, "Could not handle a sandbox's request");
  return { status, body: { error: message, code } };
}
