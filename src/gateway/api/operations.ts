import { automationOperations } from "../automations/operations.ts";
import type { Operation } from "../http/operation.ts";
import { sessionOperations } from "../sessions/operations.ts";

/** Every operation of the REST API whose request and response are JSON. */
export const operations = { ...automationOperations, ...sessionOperations } as const satisfies Record<
  string,
  Operation
>;
