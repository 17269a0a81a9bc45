import { expect, it } from "vitest";

import { nextTryAfter } from "../next-try.ts";
import { githubFailure } from "./github-failure.ts";

const now = new Date("2026-05-04T10:00:00Z");
const secondary = {
  message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
};
/** GitHub sends them with each answer; they are of the limit an hour. */
const hourly = { "x-ratelimit-remaining": "4812", "x-ratelimit-reset": "1777891800" };

interface Row {
  name: string;
  status: number;
  headers?: Record<string, string>;
  data?: unknown;
  failure: string;
  waitMs?: number;
}

it.each<Row>([
  {
    name: "a limit that the message alone names",
    status: 403,
    headers: hourly,
    data: secondary,
    failure: "throttled",
    waitMs: 60_000,
  },
  { name: "too many requests, without a time", status: 429, headers: hourly, failure: "throttled", waitMs: 60_000 },
  {
    name: "a limit with its time",
    status: 403,
    headers: { ...hourly, "retry-after": "7" },
    data: secondary,
    failure: "throttled",
    waitMs: 7_000,
  },
  {
    name: "the limit an hour",
    status: 403,
    headers: { ...hourly, "x-ratelimit-remaining": "0" },
    failure: "throttled",
    waitMs: 3_000_000,
  },
  {
    name: "a permission that the App lacks",
    status: 403,
    headers: hourly,
    data: { message: "Resource not accessible by integration" },
    failure: "refused",
  },
  { name: "a refusal without a message", status: 403, data: "rate limit", failure: "refused" },
  { name: "what is not there", status: 404, headers: hourly, data: secondary, failure: "refused" },
  { name: "an outage", status: 502, headers: hourly, failure: "unavailable" },
])("reads $name", ({ status, headers = {}, data, failure, waitMs }) => {
  const error = { status, response: { status, headers, data } };
  expect(githubFailure("read-issue", error, { now: () => now })).toMatchObject({ failure, retryAfterMs: waitMs });
});

it("tries a call again that a limit without a time refused, after a minute", () => {
  const error = { status: 403, response: { status: 403, headers: hourly, data: secondary } };
  expect(nextTryAfter(0, githubFailure("create-comment", error, { now: () => now }), now)).toBe(
    "2026-05-04T10:01:00.000Z",
  );
});
