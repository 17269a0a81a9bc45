import type { Buffer } from "node:buffer";

import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { z } from "zod";

import type { BodyBudget } from "../../lib/body-budget.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Clock } from "../../lib/clock.ts";
import { type NamedByRequest, type NeededAccess, wantedAccess } from "./access.ts";
import type { Requester } from "./audit.ts";
import { withinBudget } from "./budget.ts";
import type { Caller, Callers } from "./callers.ts";
import { ApiError, type ErrorCode } from "./errors.ts";
import { Nothing } from "./inputs.ts";
import { parseBody, parseId, parsePromptId, parseQuery } from "./request.ts";
import { readRequestBody } from "./request-body.ts";

/** One route whose request and response are JSON; its name in a table is the `operationId` of OpenAPI. */
export interface Operation {
  method: "get" | "post";
  /** As OpenAPI writes it. */
  path: string;
  summary: string;
  /** What RBAC must allow the caller to do, in words. */
  permission: string;
  /** The same as far as the request alone says it, in this order; the caller has it before a body is read. */
  access: readonly NeededAccess[];
  /** Without one every query is accepted and ignored. */
  query?: z.ZodObject;
  /** Without one no body, or an empty object, is accepted. */
  body?: z.ZodObject;
  /** Limit of the body in bytes; {@link usualBodyBytes} by default. */
  maxBodyBytes?: number;
  /** Responses to requests that succeed, by status. */
  success: Readonly<Partial<Record<200 | 201 | 202, { description: string; body: z.ZodObject }>>>;
  /** Errors beside those that every route of its kind has. */
  errors?: readonly ErrorCode[];
}

/** Limit of bodies in bytes by default. */
const usualBodyBytes = 16_384;

/** A request whose caller is authenticated and whose parameters are parsed. */
export interface Call<O extends Operation = Operation> {
  caller: Caller;
  /** The caller, for use-cases that sessions may request too. */
  requester: Requester;
  query: O extends { query: infer Query extends z.ZodType } ? z.output<Query> : object;
  body: O extends { body: infer Body extends z.ZodType } ? z.output<Body> : object;
  /** Aborts requests to the API server when the caller's time limit has passed. */
  signal: AbortSignal;
  /** The automation or session of the path; both parts are empty where the path names none. */
  named: NamespacedName;
  /** The prompt of the path; empty where it names none. */
  prompt: string;
}

type Answer<O extends Operation> = {
  [S in keyof O["success"]]: O["success"][S] extends { body: infer B extends z.ZodType }
    ? { status: S; body: z.output<B> }
    : never;
}[keyof O["success"]];

/** Handles one operation for a caller that has its access; it asks for what depends on the object besides. */
export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<O>>;

/** One handler for each operation of a table, under the same name. */
export type HandlersOf<Operations extends Record<string, Operation>> = {
  [Name in keyof Operations]: Handler<Operations[Name]>;
};

/** A handler of any operation. */
type AnyHandler = (call: Call) => Promise<{ status: number; body: object }>;

interface Deps {
  callers: Pick<Callers, "identify" | "authorize">;
  clock: Clock;
  /** Milliseconds for all requests to the API server on behalf of one call. */
  budgetMs: number;
  /** Shared by namespace. */
  bodies: BodyBudget;
}

/** A caller who may make the request, and the milliseconds that are left for the answer. */
interface Admitted {
  caller: Caller;
  asked: NamedByRequest;
  leftMs: number;
}

/** Routes of all operations. Checks in this order: token, path, query, permission, body, existence. */
export function apiRouter<Operations extends Record<string, Operation>>(
  deps: Deps,
  operations: Operations,
  handlers: HandlersOf<Operations>,
): Router {
  const router = express.Router();
  const byPath = Map.groupBy(Object.entries<Operation>(operations), ([, { path }]) => expressPath(path));
  for (const [path, ofPath] of byPath) {
    for (const [name, operation] of ofPath) {
      // Both tables have the same keys, which TypeScript cannot follow through the lookup.
      const handler = handlers[name] as unknown as AnyHandler;
      router[operation.method](path, handle(deps, operation, handler));
    }
    router.all(path, methodNotAllowed(...ofPath.flatMap(([, { method }]) => methodsOf[method])));
  }
  return router;
}

function handle(deps: Deps, operation: Operation, handler: AnyHandler): RequestHandler {
  return async (request, response) => {
    const admitted = await admit(deps, operation, request);
    if (operation.method === "get") return answer(deps, { operation, handler, admitted }, response);
    const { maxBodyBytes: longestBytes = usualBodyBytes } = operation;
    const { namespace } = admitted.asked.named;
    return deps.bodies.lend(async (room) => {
      const sent = { request, bytes: await readRequestBody(request, { longestBytes, room }) };
      await answer(deps, { operation, handler, admitted, sent }, response);
    }, namespace);
  };
}

/** Comes before the body is read: those of strangers, and of callers without the right, are not. */
async function admit({ callers, clock, budgetMs }: Deps, operation: Operation, request: Request): Promise<Admitted> {
  const beganMs = clock.monotonicMs();
  const [caller, asked] = await withinBudget(clock, budgetMs, async (signal) => {
    const identified = await callers.identify(request, signal);
    const named = parseId(request.params.id);
    const prompt = parsePromptId(request.params.promptId);
    const query = parseQuery(operation.query ?? Nothing.loose(), request);
    for (const needed of operation.access) {
      await callers.authorize(identified, wantedAccess(needed, { named, prompt, query }), signal);
    }
    return [identified, { named, prompt, query }] as const;
  });
  return { caller, asked, leftMs: budgetMs - (clock.monotonicMs() - beganMs) };
}

interface Accepted {
  operation: Operation;
  handler: AnyHandler;
  admitted: Admitted;
  /** Left out where the method has no body. */
  sent?: { request: Request; bytes: Buffer };
}

async function answer(
  { clock }: Deps,
  { operation, handler, admitted, sent }: Accepted,
  response: Response,
): Promise<void> {
  const { caller, asked, leftMs } = admitted;
  const body = sent ? parseBody(operation.body ?? Nothing, sent.request, sent.bytes) : {};
  const result = await withinBudget(clock, leftMs, (signal) =>
    handler({ caller, requester: { kind: "person", caller }, ...asked, body, signal }),
  );
  response.setHeader("cache-control", "no-store");
  response.status(result.status).json(result.body);
}

/** Methods that an operation answers; Express answers HEAD by GET. */
const methodsOf = { get: ["GET", "HEAD"], post: ["POST"] } as const;

/** A path of OpenAPI in Express's words: `/sessions/{id}` is `/sessions/:id`. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Refuses every request with the methods that its path has. */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return (_request, response) => {
    response.setHeader("allow", allowed.join(", "));
    throw new ApiError("MethodNotAllowed", `the method must be ${allowed.join(" or ")}`);
  };
}
