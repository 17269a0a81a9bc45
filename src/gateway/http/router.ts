import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { z } from "zod";

import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Clock } from "../../lib/clock.ts";
import { withinBudget } from "./budget.ts";
import type { Caller, Callers } from "./callers.ts";
import { methodNotAllowed } from "./method-not-allowed.ts";
import { type Operation, usualBodyBytes } from "./operation.ts";
import type { Requester } from "./requester.ts";
import { parseBody, parseId, parsePromptId, parseQuery } from "./request.ts";

/** A request whose caller is authenticated and whose parameters are parsed. */
export interface Call<O extends Operation = Operation> {
  caller: Caller;
  /** The caller, for use-cases that sessions may request too. */
  requester: Requester;
  query: z.output<O["query"]>;
  body: z.output<O["body"]>;
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
  const byPath = Map.groupBy(Object.values<Operation>(operations), ({ path }) => path.replaceAll(/\{(\w+)\}/g, ":$1"));
  for (const [path, ofPath] of byPath) {
    for (const operation of ofPath) {
      // Both tables have the same keys, which TypeScript cannot follow through the lookup.
      const handler = handlers[operation.id] as unknown as AnyHandler;
      router[operation.method](path, identify(deps), ...readBody(operation), (request, response) =>
        answer(deps, { operation, handler }, request, response),
      );
    }
    router.all(path, methodNotAllowed(...ofPath.flatMap(methodsOf)));
  }
  return router;
}

/** Comes before the body is read: bodies of unauthenticated callers are not. */
function identify({ callers, clock, budgetMs }: Deps): RequestHandler {
  return async (request, response, next) => {
    const beganMs = clock.monotonicMs();
    const caller = await withinBudget(clock, budgetMs, (signal) =>
      callers.identify(request.headers.authorization, signal),
    );
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
  const query = parseQuery(operation.query, request);
  const body = parseBody(operation.body, request);
  const result = await withinBudget(clock, leftMs, (signal) =>
    handler({ caller, requester: { kind: "person", caller }, named, prompt, query, body, signal }),
  );
  response.setHeader("cache-control", "no-store");
  response.status(result.status).json(result.body);
}

/** Methods that an operation answers; Express answers HEAD by GET. */
function methodsOf({ method }: Operation): string[] {
  return method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()];
}
