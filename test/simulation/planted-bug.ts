import type { ApiAnswer, ApiRequest } from "../../src/kube/transport.ts";
import type { ApiServer } from "./api-server/api-server.ts";
import type { StoredEvent } from "./api-server/store.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** What a bug does to one request of a process: sends another in its place, or answers it without the API server. */
export type Tampered = { request: ApiRequest } | { answer: ApiAnswer } | undefined;

/** Where a request or an event is tampered with. */
export interface Context {
  process: string;
  api: ApiServer;
  random: SeededRandom;
}

/** A fault of the product that is put in on purpose, where a process meets the API server. */
export interface PlantedBug {
  name: string;
  /** The first seed that shows it, where the search begins; by default 1. */
  seenAt?: number;
  tamper?(request: ApiRequest, context: Context): Tampered;
  /** What a process is told of an event of a watch; undefined: nothing. */
  hears?(event: StoredEvent, context: Context): StoredEvent | undefined;
  /** Milliseconds by which the clock of a new process is wrong. */
  clockMs?(process: string): number;
}

export const lost: ApiAnswer = { status: 504, text: "a proxy has lost the answer" };

export function isOf(process: string, context: Pick<Context, "process">): boolean {
  return context.process.startsWith(process);
}

export function pathOf({ path }: ApiRequest): string {
  return path.split("?")[0] ?? "";
}

export function collectionOf(request: ApiRequest): string {
  return pathOf(request).split("/").at(-1) ?? "";
}

/** What is sent of an object; `Status` are the fields of its status that a bug changes. */
export type Body<Status> = Record<string, unknown> & { metadata?: Record<string, unknown>; status?: Status };

/** The request with another body. */
export function changed<Status>(
  request: ApiRequest,
  change: (body: Body<Status>) => Body<Status>,
): { request: ApiRequest } {
  return { request: { ...request, body: JSON.stringify(change(JSON.parse(request.body ?? "{}") as Body<Status>)) } };
}
