import type { KubeObject, Resource } from "../lib/resource.ts";
import { answerError } from "./answer-error.ts";
import { apiPath } from "./api-path.ts";
import { type Caller, describeCall } from "./caller.ts";
import type { Selection } from "./client-options.ts";
import { KubeError } from "./errors.ts";
import { LineSplitter, type WatchEvent } from "./watch-events.ts";

export interface WatchOptions extends Selection {
  /** Where to go on from; events after it are sent. */
  resourceVersion: string;
  /** Seconds after which the server ends the stream. */
  serverTimeoutSeconds: number;
  /** Milliseconds without an event or bookmark after which the stream counts as dead. */
  idleTimeoutMs: number;
  /** Milliseconds until the stream is opened. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Called in order for all events but errors; must not throw. */
export type WatchSink<T extends KubeObject> = (event: WatchEvent<T>) => void;

/** Opens one watch with bookmarks; resolves at its regular end, throws the error of an error event. */
export async function watchStream<T extends KubeObject>(
  caller: Caller,
  resource: Resource<T>,
  options: WatchOptions & { timeoutMs: number },
  sink: WatchSink<T>,
): Promise<void> {
  const { namespace, labelSelector, fieldSelector, resourceVersion, serverTimeoutSeconds: timeoutSeconds } = options;
  const position = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds };
  const path = apiPath(resource, { namespace }, { ...position, labelSelector, fieldSelector });
  const call = { verb: "watch" as const, resource, target: namespace ?? "" };
  const { timeoutMs, idleTimeoutMs, signal } = options;
  const lines = new LineSplitter();
  function take(line: string): void {
    const event = parseEvent<T>(describeCall(call), line);
    if (event.type === "ERROR") throw refusalOf(describeCall(call), event.object);
    sink(event);
  }
  const limits = { timeoutMs, idleTimeoutMs, signal };
  await caller.stream(call, { method: "GET", path }, limits, (bytes) => lines.push(bytes).forEach(take));
}

function parseEvent<T extends KubeObject>(what: string, line: string): WatchEvent<T> {
  try {
    return JSON.parse(line) as WatchEvent<T>;
  } catch {
    const message = `${what}: sent a line that is no JSON`;
    throw new KubeError({ message, status: 0, reason: "InvalidAnswer", delivery: "received" });
  }
}

/** An error event carries the Status that a refused request would have been answered with. */
function refusalOf(what: string, object: unknown): KubeError {
  const code = typeof object === "object" && object !== null && "code" in object ? object.code : undefined;
  const status = typeof code === "number" ? code : 500;
  return answerError(what, { status, text: JSON.stringify(object) }, false);
}
