import { z } from "zod";

import { type ErrorCode, statusOf } from "./errors.ts";

export const Count = z.int().min(0);
export const Instant = Count.describe("Milliseconds since 1970-01-01T00:00:00Z.");
export const MaybeInstant = Instant.nullable().describe("Milliseconds since 1970-01-01T00:00:00Z, or null.");

const PushedBranch = z
  .object({
    repository: z.string().describe("Name of the Repository whose checkout it was pushed from."),
    branch: z.string(),
    commit: z.string().describe("The full id of the commit that it was pushed at, the last time."),
  })
  .meta({ id: "PushedBranch" });

/** The result of a prompt, a session or an invocation. */
export const Result = z
  .object({
    summary: z.string().nullable(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
    pushes: z
      .array(PushedBranch)
      .describe("All branches that git pushed meanwhile; branch and commit are of the first Repository."),
  })
  .nullable()
  .describe("What the agent reported; not verified.");

/** The body of every error. */
export const ErrorBody = z
  .object({
    error: z.string().describe("What is wrong, for people."),
    code: z.enum(Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]]).describe("What is wrong, for programs."),
    invocationId: z.string().optional().describe("Of a firing that was recorded as skipped: its invocation."),
    activeInvocationId: z.string().optional().describe("The invocation that was active instead."),
    promptId: z.string().optional().describe("Of a prompt that was stored and refused: its name."),
  })
  .meta({ id: "Refusal" });

const TrimmedHistory = z
  .object({
    namespace: z.string(),
    since: Instant.describe("History is whole after it: what was created later is all there."),
    budget: z.enum(["namespace", "total"]).describe("The chart value below archive.budgets that was exceeded."),
    budgetBytes: Count.describe("How large that budget was."),
    bytes: Count.describe("What the namespace has in the archive, as it counts against budgets."),
    message: z.string().describe("The same for people, with what to ask for."),
  })
  .meta({ id: "TrimmedHistory" });
export type TrimmedHistory = z.output<typeof TrimmedHistory>;

/** What a list of history says of rows that a budget of the archive took away. */
export const trimming = {
  trimmed: z
    .array(TrimmedHistory)
    .optional()
    .describe(
      "Namespaces of the list whose oldest history was deleted, as a budget was exceeded: the latest first, 100 at most. Absent where there is none.",
    ),
};

export const paging = {
  hasMore: z.boolean(),
  nextCursor: z.string().nullable().describe("The cursor of the next page; null on the last one."),
};
