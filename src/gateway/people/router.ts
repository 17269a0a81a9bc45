import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { z } from "zod";

import type { AutomationId } from "../../domain/deliveries/index.ts";
import type { Clock } from "../../lib/clock.ts";
import { bearerToken } from "../token-reviews.ts";
import { withinBudget } from "./budget.ts";
import type { Caller, Callers } from "./callers.ts";
import { ApiError } from "./errors.ts";
import { type Operation, operations } from "./operations.ts";
import { longestBody, parseBody, parseId, parseQuery } from "./request.ts";

/** A request whose sender is known and whose words are understood. */
export interface Call<O extends Operation = Operation> {
  caller: Caller;
  query: z.output<O["query"]>;
  body: z.output<O["body"]>;
  /** Ends everything that is asked of the API server when the caller has waited long enough. */
  signal: AbortSignal;
  /** The automation of the path. */
  automation: AutomationId;
}

type Answer<O extends Operation> = {
  [S in keyof O["success"]]: O["success"][S] extends { body: infer B extends z.ZodType }
    ? { status: S; body: z.output<B> }
    : never;
}[keyof O["success"]];

/** Carries one operation out. It asks for the caller's rights before it says whether anything is there. */
export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<O>>;

type Operations = typeof operations;
export type Handlers = { [Name in keyof Operations]: Handler<Operations[Name]> };

/** A handler of whichever operation. */
type AnyHandler = (call: Call) => Promise<{ status: number; body: object }>;

interface Deps {
  callers: Pick<Callers, "identify">;
  clock: Clock;
  /** Milliseconds that a caller waits at most while the API server is asked. */
  budgetMs: number;
}

/** The routes of all operations; their order of checks is token, path, query, body, rights, existence. */
export function peopleRouter(deps: Deps, handlers: Handlers): Router {
  const router = express.Router();
  const readBody = express.raw({ type: () => true, limit: longestBody, inflate: false });
  const byPath = Map.groupBy(Object.values<Operation>(operations), ({ path }) => path.replace("{id}", ":id"));
  for (const [path, ofPath] of byPath) {
    for (const operation of ofPath) {
      // What ties a handler to its operation is the name that both have in their tables.
      const handler = handlers[operation.id as keyof Handlers] as unknown as AnyHandler;
      const steps: RequestHandler[] = operation.method === "post" ? [requireToken, readBody] : [requireToken];
      router[operation.method](path, ...steps, (request, response) =>
        answer(deps, { operation, handler }, request, response),
      );
    }
    router.all(path, refuseMethod(ofPath));
  }
  return router;
}

async function answer(
  { callers, clock, budgetMs }: Deps,
  { operation, handler }: { operation: Operation; handler: AnyHandler },
  request: Request,
  response: Response,
): Promise<void> {
  const { status, body } = await withinBudget(clock, budgetMs, async (signal) => {
    const caller = await callers.identify(request.headers.authorization, signal);
    const automation = operation.path.includes("{id}") ? parseId(request.params.id) : { namespace: "", name: "" };
    const query = parseQuery(operation.query, request);
    return handler({ caller, automation, query, body: parseBody(operation.body, request), signal });
  });
  response.setHeader("cache-control", "no-store");
  response.status(status).json(body);
}

/** Before a body is read. */
const requireToken: RequestHandler = (request, _response, next) => {
  if (bearerToken(request.headers.authorization) === undefined) {
    throw new ApiError("Unauthorized", "a bearer token is required");
  }
  next();
};

function refuseMethod(ofPath: readonly Operation[]): RequestHandler {
  const allowed = ofPath.flatMap(({ method }) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]));
  return (_request, response) => {
    response.setHeader("allow", allowed.join(", "));
    throw new ApiError("MethodNotAllowed", `the method must be ${allowed.join(" or ")}`);
  };
}
