import type { Buffer } from "node:buffer";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One HTTP request to the API server; `path` starts at the server's root and includes the query. */
export interface ApiRequest {
  method: Method;
  path: string;
  headers?: Readonly<Record<string, string>> | undefined;
  /** JSON text. */
  body?: string | undefined;
}

/** An answer of any status, read whole. */
export interface ApiAnswer {
  status: number;
  retryAfterSeconds?: number | undefined;
  text: string;
}

export interface RequestLimits {
  /** Milliseconds from the call to the last byte of the answer, including the wait for a free connection. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface StreamLimits {
  /** Milliseconds from the call until the answer begins. */
  timeoutMs: number;
  /** Milliseconds without a byte after which the stream counts as dead. */
  idleTimeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Receives a stream that was answered with success, piece by piece and in order. What it throws ends the stream and is
 * what {@link Transport.stream} rejects with.
 */
export type StreamSink = (bytes: Buffer) => void;

/** Carries requests to one API server; rejects with a KubeError of status 0 when no whole answer came. */
export interface Transport {
  send(request: ApiRequest, limits: RequestLimits): Promise<ApiAnswer>;
  /** Resolves with undefined when the server ends the stream, or with the answer when it refused to begin one. */
  stream(request: ApiRequest, limits: StreamLimits, sink: StreamSink): Promise<ApiAnswer | undefined>;
  /** Waits for requests under way, ends streams and closes every connection. */
  close(): Promise<void>;
}
