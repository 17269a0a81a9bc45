import express, { type RequestHandler, type Response, type Router } from "express";
import { z } from "zod";
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { isAfter, parsePosition, positionText } from "../../api/runtime/session-event.ts";
import { Session } from "../../api/v1alpha1/index.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { isFinished } from "./is-finished.ts";
import type { KubeClient } from "../../kube/client.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import { EventReader } from "./event-reader.ts";
import type { SessionView } from "../attempts/session-view.ts";
import { withinBudget } from "../http/budget.ts";
import type { Callers } from "../http/callers.ts";
import { ConcurrencyLimit } from "../http/concurrency-limit.ts";
import { ApiError } from "../http/errors.ts";
import { EventStream } from "../http/event-stream.ts";
import { pathParameters } from "../http/inputs.ts";
import { parseQuery, parseId } from "../http/request.ts";
import { expressPath, methodNotAllowed } from "../http/router.ts";

const path = "/sessions/{id}/events";

const EventsQuery = z.object({
  follow: z
    .enum(["true", "false"], "must be true or false")
    .default("true")
    .transform((text) => text === "true")
    .meta({
      description: "Whether to wait for new events; with false the stream ends after the stored ones.",
      override: { type: "string", enum: ["true", "false"], default: "true" },
    }),
});

const streamLimits = {
  /** Concurrent streams of one replica. */
  streams: 128,
  /** Between two reads of the blob store, in milliseconds. */
  lookMs: 1_000,
  /** Reads without an event after which a keep-alive comment is sent. */
  quietLooks: 15,
  /** Reads after which a stream ends, so that the client is authorized again: half an hour. */
  mostLooks: 1_800,
} as const;

interface Deps {
  callers: Pick<Callers, "identify" | "authorize">;
  client: Pick<KubeClient, "find">;
  sessions: Pick<SessionView, "byUid">;
  blobs: Pick<BlobStore, "get" | "list">;
  clock: Clock;
  budgetMs: number;
  /** Ends all streams when the gateway stops. */
  signal: AbortSignal;
}

interface Asked {
  session: Session;
  reader: EventReader;
  follow: boolean;
}

/** The route of a session's events: what happened in it, and what happens until it is finished. */
export function eventRoutes(deps: Deps): Router {
  const router = express.Router();
  router.route(expressPath(path)).get(sessionEvents(deps)).all(methodNotAllowed("GET", "HEAD"));
  return router;
}

/** OpenAPI paths of these routes, with the common error responses. */
export function eventPaths(errors: () => ZodOpenApiResponsesObject): ZodOpenApiPathsObject {
  return {
    [path]: {
      get: {
        operationId: "streamSessionEvents",
        summary: "What happened in a session, and what happens until it is finished",
        description:
          "Server-Sent Events. The data of each is a SessionEvent, its id goes into Last-Event-ID to continue after it; an event named end means that the session is finished. A stream also ends after half an hour. The caller must be allowed to get sessions/log.",
        requestParams: {
          ...pathParameters(path),
          query: EventsQuery,
          header: z.object({
            "Last-Event-ID": z
              .string()
              .regex(/^([1-9][0-9]{0,6}\.[1-9][0-9]{0,15})?$/)
              .optional()
              .meta({ description: "The id of the last event that was read." }),
          }),
        },
        responses: {
          200: {
            description: "The events, oldest first.",
            content: { "text/event-stream": { schema: { type: "string" } } },
          },
          ...errors(),
        },
      },
    },
  };
}

function sessionEvents(deps: Deps): RequestHandler {
  const limit = new ConcurrencyLimit(streamLimits.streams);
  return async (request, response) => {
    const asked = await withinBudget(deps.clock, deps.budgetMs, (signal) => authorize(deps, request, signal));
    if (request.method === "HEAD") {
      response.type("text/event-stream").end();
      return;
    }
    const busy = (): Error => new ApiError("Busy", "too many streams at once; try again");
    await limit.run(() => stream(deps, asked, response), busy);
  };
}

async function authorize(
  { callers, client, blobs }: Deps,
  request: Parameters<RequestHandler>[0],
  signal: AbortSignal,
): Promise<Asked> {
  const caller = await callers.identify(request, signal);
  const id = parseId(request.params.id);
  const { follow } = parseQuery(EventsQuery, request);
  const position = positionOf(request.headers["last-event-id"]);
  // As `pods/log` is for the output of a pod.
  await callers.authorize(caller, { verb: "get", resource: "sessions", subresource: "log", ...id }, signal);
  const session = await client.find<Session>(Session, id, { signal });
  if (!session) throw new ApiError("NotFound", `there is no session ${id.namespace}.${id.name}`);
  return { session, reader: new EventReader(blobs, session.metadata.uid ?? "", position), follow };
}

function positionOf(header: string | string[] | undefined): ReturnType<typeof parsePosition> {
  if (header === undefined || header === "") return undefined;
  const position = parsePosition(String(header));
  if (position) return position;
  throw new ApiError("InvalidRequest", "Last-Event-ID must be the id of an earlier event");
}

async function stream(deps: Deps, asked: Asked, response: Response): Promise<void> {
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const signal = AbortSignal.any([disconnected.signal, deps.signal]);
  const events = new EventStream(response, signal);
  const hasEnded = endOf(deps, asked);
  const isStopped = (): boolean => signal.aborted;
  for (let look = 1, quiet = 0; !isStopped() && look <= streamLimits.mostLooks; look += 1) {
    // Before the read, so that it gets all events of a finished session.
    const isLast = hasEnded();
    const sent = await sendStored(asked.reader, events, signal);
    if (isLast && !isStopped()) {
      await events.send({ event: "end", data: {} });
      break;
    }
    quiet = sent ? 0 : quiet + 1;
    if (quiet % streamLimits.quietLooks === streamLimits.quietLooks - 1) await events.keepAlive();
    await sleep(deps.clock, streamLimits.lookMs, signal);
  }
  events.end();
}

/** Whether anything was sent. */
async function sendStored(reader: EventReader, events: EventStream, signal: AbortSignal): Promise<boolean> {
  let sent = false;
  try {
    for await (const event of reader.read(signal)) {
      const isLate = isAfter(reader.position, event);
      // A client that continued after a late event would get earlier ones again.
      await events.send({ ...(isLate ? {} : { id: positionText(event) }), data: event });
      sent = true;
    }
  } catch (error) {
    // The headers are sent: the client reconnects after the last event.
    if (!signal.aborted) throw error;
  }
  return sent;
}

/** Whether no more events will come. The cache may not have a new session yet. */
function endOf({ sessions }: Deps, { session, follow }: Asked): () => boolean {
  let wasThere = false;
  return () => {
    const cached = sessions.byUid(session.metadata.uid ?? "");
    wasThere ||= cached !== undefined;
    if (!follow || (wasThere && !cached)) return true;
    return isFinished(cached ?? session);
  };
}
