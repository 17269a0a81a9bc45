import express, { type RequestHandler, type Response, type Router } from "express";
import { type EventPosition, isAfter, parsePosition, positionText } from "../../api/runtime/event-position.ts";
import { PrebuiltImage, Session } from "../../api/v1alpha1/index.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import { isFinished } from "./is-finished.ts";
import type { KubeClient } from "../../kube/client.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import { eventPathOf, EventsQuery } from "./event-paths.ts";
import { EventReader } from "./event-reader.ts";
import { beginOfPart } from "./newest-part.ts";
import { type KubeObject, type Resource } from "../../lib/resource.ts";
import type { OwnerView } from "../attempts/owner-view.ts";
import type { SessionView } from "../attempts/session-view.ts";
import { AccessWatches } from "../http/access-watches.ts";
import { withinBudget } from "../http/budget.ts";
import type { Callers } from "../http/callers.ts";
import { ApiError } from "../http/errors.ts";
import { EventStream } from "../http/event-stream.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import { parseQuery, parseId } from "../http/request.ts";
import { expressPath, methodNotAllowed } from "../http/router.ts";
import { SharedPlaces } from "../http/shared-places.ts";

/** Whose events a route has. */
interface Source<T extends KubeObject> {
  path: string;
  kind: Resource<T>;
  plural: string;
  /** Of an error message. */
  what: string;
  /** The object as this replica's cache has it. */
  cached: (deps: Deps, object: T) => T | undefined;
  /** Whether no more events will come by themselves. */
  isOver: (object: T) => boolean;
}

const ofSessions: Source<Session> = {
  path: eventPathOf.sessions,
  kind: Session,
  plural: "sessions",
  what: "session",
  cached: ({ sessions }, { metadata }) => sessions.byUid(metadata.uid ?? ""),
  isOver: isFinished,
};

const ofImages: Source<PrebuiltImage> = {
  path: eventPathOf.images,
  kind: PrebuiltImage,
  plural: "prebuiltimages",
  what: "prebuilt image",
  cached({ owners }, { metadata }) {
    const found = owners.imageByName({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
    return found?.metadata.uid === metadata.uid ? found : undefined;
  },
  isOver: ({ metadata, status }) => metadata.deletionTimestamp !== undefined || status?.build === undefined,
};

const streamLimits = {
  /** Between two reads of the blob store, in milliseconds. */
  lookMs: 1_000,
  /** Reads without an event after which a keep-alive comment is sent. */
  quietLooks: 15,
  /** Reads after which a stream ends, so that clients come to new replicas: half an hour. */
  mostLooks: 1_800,
} as const;

interface Deps {
  callers: Pick<Callers, "identify" | "authorize">;
  client: Pick<KubeClient, "find">;
  sessions: Pick<SessionView, "byUid">;
  owners: Pick<OwnerView, "imageByName">;
  blobs: Pick<BlobStore, "get" | "list">;
  clock: Clock;
  metrics: Pick<GatewayMetrics, "overShare">;
  budgetMs: number;
  /** Ends all streams when the gateway stops. */
  signal: AbortSignal;
}

interface Asked<T> {
  object: T;
  follow: boolean;
  /** The event that was read last. */
  after: EventPosition | undefined;
  /** Bytes of the newest events with which the stream begins. */
  last: number | undefined;
  /** Where the stream ends. */
  before: EventPosition | undefined;
  /** Of the caller to the object. */
  access: Access;
}

interface Access {
  /** Names token and object, which may be shared by streams. */
  id: string;
  /** Asks whether token and right are still good. @throws ApiError */
  askAgain: () => Promise<void>;
}

/** What the streams of a replica share. */
interface Shared {
  places: SharedPlaces;
  watches: AccessWatches;
}

/** The routes of events of sessions and of builds of images: what happened, and what happens until they are finished. */
export function eventRoutes(deps: Deps): Router {
  const router = express.Router();
  const shared = { places: new SharedPlaces("eventStreams", deps), watches: new AccessWatches(deps.clock) };
  router
    .route(expressPath(ofSessions.path))
    .get(eventsOf(deps, ofSessions, shared))
    .all(methodNotAllowed("GET", "HEAD"));
  router
    .route(expressPath(ofImages.path))
    .get(eventsOf(deps, ofImages, shared))
    .all(methodNotAllowed("GET", "HEAD"));
  return router;
}

function eventsOf<T extends KubeObject>(deps: Deps, source: Source<T>, { places, watches }: Shared): RequestHandler {
  return async (request, response) => {
    const asked = await withinBudget(deps.clock, deps.budgetMs, (signal) => authorize(deps, source, request, signal));
    if (request.method === "HEAD") {
      response.type("text/event-stream").end();
      return;
    }
    // Nothing would end the stream of a reader whose close has been told already.
    if (response.destroyed) return;
    const { namespace = "" } = asked.object.metadata;
    const work = async (): Promise<void> => {
      const refused = new AbortController();
      const { id, askAgain } = asked.access;
      const unwatch = watches.watch(id, askAgain, () => refused.abort());
      await stream(deps, source, asked, { response, refused: refused.signal }).finally(unwatch);
    };
    await places.run(namespace, work);
  };
}

async function authorize<T extends KubeObject>(
  { callers, client, clock, budgetMs }: Deps,
  { kind, plural, what }: Source<T>,
  request: Parameters<RequestHandler>[0],
  signal: AbortSignal,
): Promise<Asked<T>> {
  const caller = await callers.identify(request, signal);
  const id = parseId(request.params.id);
  const { follow, last, before } = parseQuery(EventsQuery, request);
  const after = positionOf(request.headers["last-event-id"]);
  // As `pods/log` is for the output of a pod.
  const access = { verb: "get", resource: plural, subresource: "log", ...id };
  await callers.authorize(caller, access, signal);
  const object = await client.find(kind, id, { signal });
  if (!object) throw new ApiError("NotFound", `there is no ${what} ${id.namespace}.${id.name}`);
  const askAgain = (): Promise<void> =>
    withinBudget(clock, budgetMs, async (again) => {
      await callers.authorize(await callers.identify(request, again), access, again, "again");
    });
  const accessId = JSON.stringify([request.headers.authorization, plural, id.namespace, id.name]);
  return {
    ...{ object, follow: follow && before === undefined, after, last, before },
    access: { id: accessId, askAgain },
  };
}

function positionOf(header: string | string[] | undefined): EventPosition | undefined {
  if (header === undefined || header === "") return undefined;
  const position = parsePosition(String(header));
  if (position) return position;
  throw new ApiError("InvalidRequest", "Last-Event-ID must be the id of an earlier event");
}

async function stream<T extends KubeObject>(
  deps: Deps,
  source: Source<T>,
  asked: Asked<T>,
  { response, refused }: { response: Response; refused: AbortSignal },
): Promise<void> {
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const signal = AbortSignal.any([disconnected.signal, deps.signal, refused]);
  const part = await openPart(deps.blobs, asked, signal);
  const events = new EventStream(response, signal);
  if (part.begin) await events.send({ event: "older", data: { before: positionText(part.begin) } });
  const hasEnded = endOf(deps, source, asked);
  const isStopped = (): boolean => signal.aborted;
  for (let look = 1, quiet = 0; !isStopped() && look <= streamLimits.mostLooks; look += 1) {
    // Before the read, so that it gets all events of a finished session.
    const isLast = hasEnded();
    const sent = await sendStored(part, events, signal);
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

/** The events that a client wants. */
interface Part {
  reader: EventReader;
  /** Its first event where there are older ones that the client does not have. */
  begin?: EventPosition | undefined;
  before: EventPosition | undefined;
}

async function openPart(
  blobs: Deps["blobs"],
  { object, after, last: bytes, before }: Asked<KubeObject>,
  signal: AbortSignal,
): Promise<Part> {
  const uid = object.metadata.uid ?? "";
  if (after || bytes === undefined) return { reader: new EventReader(blobs, uid, after), before };
  const begin = await beginOfPart(blobs, uid, { bytes, before }, signal).catch((error: unknown) => {
    // Nobody reads any more.
    if (!signal.aborted) throw error;
    return undefined;
  });
  return { reader: new EventReader(blobs, uid, begin && { ...begin, seq: begin.seq - 1 }), begin, before };
}

/** Whether anything was sent. */
async function sendStored({ reader, before }: Part, events: EventStream, signal: AbortSignal): Promise<boolean> {
  let sent = false;
  try {
    for await (const event of reader.read(signal)) {
      if (before && !isAfter(before, event)) break;
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

/** Whether no more events will come. The cache may not have a new object yet. */
function endOf<T extends KubeObject>(deps: Deps, source: Source<T>, { object, follow }: Asked<T>): () => boolean {
  let wasThere = false;
  return () => {
    const cached = source.cached(deps, object);
    wasThere ||= cached !== undefined;
    if (!follow || (wasThere && !cached)) return true;
    return source.isOver(cached ?? object);
  };
}
