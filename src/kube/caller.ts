import type { Clock } from "../lib/clock.ts";
import type { KubeObject, Resource } from "../lib/resource.ts";
import { answerError } from "./answer-error.ts";
import type { ClientHooks, Verb } from "./client-options.ts";
import { KubeError } from "./errors.ts";
import { policyRefusalOf } from "./policy-refusal.ts";
import type { ApiAnswer, ApiRequest, RequestLimits, StreamLimits, StreamSink, Transport } from "./transport.ts";

/** Kinds whose bodies contain secrets, which an error must not quote. */
const sensitiveKinds = new Set(["Secret", "TokenReview", "TokenRequest"]);

/** Describes a request for hooks, metrics and error messages. */
export interface Call {
  verb: Verb;
  resource: Resource<KubeObject>;
  /** `namespace/name`, or the namespace, or empty for a whole collection. */
  target: string;
  subresource?: string | undefined;
}

export interface CallerDeps {
  transport: Transport;
  clock: Clock;
  hooks: readonly ClientHooks[];
}

/** Sends requests, calls the hooks and turns error answers into KubeErrors. */
export class Caller {
  readonly #deps: CallerDeps;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  /** Returns the answer's JSON; a read whose connection broke is repeated once within the same timeout. */
  async read(call: Call, request: ApiRequest, limits: RequestLimits): Promise<unknown> {
    const startMs = this.#deps.clock.monotonicMs();
    try {
      return await this.#send(call, request, limits);
    } catch (error) {
      const leftMs = limits.timeoutMs - (this.#deps.clock.monotonicMs() - startMs);
      if (!(error instanceof KubeError) || error.reason !== "ConnectionFailed" || leftMs <= 0) throw error;
      return this.#send(call, request, { ...limits, timeoutMs: leftMs });
    }
  }

  /** Returns the answer's JSON; never repeated. */
  async write(call: Call, request: ApiRequest, limits: RequestLimits): Promise<unknown> {
    for (const hooks of this.#deps.hooks) hooks.beforeWrite?.(call.verb, call.resource);
    return this.#send(call, request, limits);
  }

  /** Resolves when the server ends the stream. */
  async stream(call: Call, request: ApiRequest, limits: StreamLimits, sink: StreamSink): Promise<void> {
    const refusal = await this.#measured(call, () => this.#deps.transport.stream(request, limits, sink));
    if (refusal) throw answerError(describeCall(call), refusal, false);
  }

  async #send(call: Call, request: ApiRequest, limits: RequestLimits): Promise<unknown> {
    const answer = await this.#measured(call, () => this.#deps.transport.send(request, limits));
    if (answer.status >= 200 && answer.status <= 299) return parse(call, answer);
    const isSensitive = sensitiveKinds.has(call.resource.kind) || call.subresource === "token";
    const error = answerError(describeCall(call), answer, isSensitive);
    const refusal = policyRefusalOf(error);
    if (refusal) for (const hooks of this.#deps.hooks) hooks.refusedByPolicy?.(refusal, call.resource);
    throw error;
  }

  async #measured<Answer extends ApiAnswer | undefined>(call: Call, run: () => Promise<Answer>): Promise<Answer> {
    const startMs = this.#deps.clock.monotonicMs();
    let status = 0;
    try {
      const answer = await run();
      status = answer?.status ?? 200;
      return answer;
    } catch (error) {
      throw error instanceof KubeError ? named(call, error) : error;
    } finally {
      const { verb, resource, subresource } = call;
      const durationMs = this.#deps.clock.monotonicMs() - startMs;
      for (const hooks of this.#deps.hooks) hooks.afterRequest?.({ verb, resource, subresource, status, durationMs });
    }
  }
}

/** The beginning of error messages, such as `create runs.runwright.dev "demo/x"`. */
export function describeCall({ verb, resource, target, subresource }: Call): string {
  const plural = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
  const place = target === "" ? "" : ` "${target}"`;
  return `${verb} ${plural}${subresource === undefined ? "" : `/${subresource}`}${place}`;
}

function named(call: Call, error: KubeError): KubeError {
  const { status, reason, delivery, retryAfterSeconds, details } = error;
  const message = `${describeCall(call)}: ${error.message}`;
  return new KubeError({ message, status, reason, delivery, retryAfterSeconds, details, cause: error.cause });
}

function parse(call: Call, answer: ApiAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    const message = `${describeCall(call)}: answered ${answer.status} without JSON`;
    throw new KubeError({ message, status: 0, reason: "InvalidAnswer", delivery: "lost" });
  }
}
