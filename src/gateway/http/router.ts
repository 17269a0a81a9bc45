import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { z } from "zod";

import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Requester } from "./audit.ts";
import { withinBudget } from "./budget.ts";
import type { Caller, Callers } from "./callers.ts";
import { ApiError, type ErrorCode } from "./errors.ts";
import { Nothing } from "./inputs.ts";
import { parseBody, parseId, parsePromptId, parseQuery } from "./request.ts";

/** One route whose request and response are JSON; its name in a table is the `operationId` of OpenAPI. */
export interface Operation {
  method: "get" | "post";
  /** As OpenAPI writes it. */
  path: string;
  summary: string;
  /** What RBAC must allow the caller to do. */
  permission: string;
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

/** Handles one operation. It authorizes the caller before it reveals whether an object exists. */
export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<O>>;

/** One handler for each operation of a table, under the same name. */
export type HandlersOf<Operations extends Record<string, Operation>> = {
  [Name in keyof Operations]: Handler<Operations[Name]>;
};

/** A handler of any operation. */
type AnyHandler = (call: Call) => Promise<{ status: number; body: object }>;

interface Deps {
  callers: Pick<Callers, "identify">;
  clock: Clock;
  /** Milliseconds for all requests to the API server on behalf of one call. */
  budgetMs: number;
}

/** The authenticated caller, and the milliseconds that are left for the answer. */
interface Identified {
  caller: Caller;
  leftMs: number;
}

/** Routes of all operations. Checks in this order: token, path, query, body, permission, existence. */
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
      router[operation.method](path, identify(deps), ...readBody(operation), (request, response) =>
        answer(deps, { operation, handler }, request, response),
      );
    }
    router.all(path, methodNotAllowed(...ofPath.flatMap(([, { method }]) => methodsOf[method])));
  }
  return router;
}

/** Comes before the body is read: bodies of unauthenticated callers are not. */
function identify({ callers, clock, budgetMs }: Deps): RequestHandler {
  return async (request, response, next) => {
    const beganMs = clock.monotonicMs();
    const caller = await withinBudget(clock, budgetMs, (signal) => callers.identify(request, signal));
    Object.assign(response.locals, { caller, leftMs: budgetMs - (clock.monotonicMs() - beganMs) } satisfies Identified);
    next();
  };
}

function readBody({ method, maxBodyBytes = usualBodyBytes }: Operation): RequestHandler[] {
  return method === "post" ? [express.raw({ type: () => true, limit: maxBodyBytes, inflate: false })] : [];
}

async function answer(
  { clock }: Deps,
  { operation, handler }: { operation: Operation; handler: AnyHandler },
  request: Request,
  response: Response,
): Promise<void> {
  const { caller, leftMs } = response.locals as Identified;
  const named = parseId(request.params.id);
  const prompt = parsePromptId(request.params.promptId);
  const query = parseQuery(operation.query ?? Nothing.loose(), request);
  const body = parseBody(operation.body ?? Nothing, request);
  const result = await withinBudget(clock, leftMs, (signal) =>
    handler({ caller, requester: { kind: "person", caller }, named, prompt, query, body, signal }),
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
