import { describe, expect, it } from "vitest";
import { answerError } from "./answer-error.ts";
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isTransient,
  isUnanswered,
  isUnsent,
  KubeError,
} from "./errors.ts";

function refusal(status: number, reason: string, message = "no"): KubeError {
  return answerError(
    'create pods "demo/a"',
    { status, text: JSON.stringify({ kind: "Status", reason, message }) },
    false,
  );
}

const lost = new KubeError({ message: "lost", status: 0, reason: "ConnectionFailed", delivery: "lost" });
const unsent = new KubeError({ message: "unsent", status: 0, reason: "ConnectionFailed", delivery: "unsent" });
const aborted = new KubeError({ message: "aborted", status: 0, reason: "Aborted", delivery: "unsent" });

const predicates = {
  isNotFound,
  isConflict,
  isAlreadyExists,
  isForbidden,
  isInvalid,
  isGone,
  isTooManyRequests,
  isTransient,
  isUnanswered,
  isUnsent,
};

it.each([
  { error: refusal(404, "NotFound"), want: ["isNotFound"] },
  { error: refusal(409, "Conflict"), want: ["isConflict"] },
  { error: refusal(409, "AlreadyExists"), want: ["isAlreadyExists"] },
  { error: refusal(401, "Unauthorized"), want: [] },
  { error: refusal(403, "Forbidden"), want: ["isForbidden"] },
  { error: refusal(422, "Invalid"), want: ["isInvalid"] },
  { error: refusal(410, "Expired"), want: ["isGone"] },
  { error: refusal(429, "TooManyRequests"), want: ["isTooManyRequests", "isTransient"] },
  { error: refusal(500, "InternalError"), want: ["isTransient"] },
  { error: refusal(400, "BadRequest"), want: [] },
  { error: lost, want: ["isTransient", "isUnanswered"] },
  { error: unsent, want: ["isTransient", "isUnsent"] },
  { error: aborted, want: ["isUnsent"] },
  { error: new Error("other"), want: [] },
])("recognizes $error.status $error.reason as $want", ({ error, want }) => {
  const holding = Object.entries(predicates).filter(([, holds]) => holds(error));
  expect(holding.map(([name]) => name)).toEqual(want);
});

describe("an answer that is no success", () => {
  it("keeps the server's words and says what was tried", () => {
    expect(refusal(403, "Forbidden", "user may not").message).toBe('create pods "demo/a": user may not');
  });

  it("takes the wait from the header before the body", () => {
    const text = JSON.stringify({ kind: "Status", details: { retryAfterSeconds: 9 } });
    expect(answerError("get", { status: 429, text, retryAfterSeconds: 3 }, false).retryAfterSeconds).toBe(3);
    expect(answerError("get", { status: 429, text }, false).retryAfterSeconds).toBe(9);
  });

  it("does not show what a proxy in between answered", () => {
    expect(answerError("get pods", { status: 502, text: "<html>token=abc" }, false).message).toBe(
      "get pods: answered 502",
    );
    expect(answerError("get pods", { status: 502, text: '{"token":"abc"}' }, false).message).toBe(
      "get pods: answered 502",
    );
  });

  it("leaves out the words on a malformed body that holds secrets, and only those", () => {
    const text = JSON.stringify({ kind: "Status", message: "cannot parse c2VjcmV0" });
    expect(answerError("create secrets", { status: 400, text }, true).message).not.toContain("c2VjcmV0");
    expect(answerError("create secrets", { status: 403, text }, true).message).toContain("cannot parse");
    expect(answerError("create pods", { status: 400, text }, false).message).toContain("cannot parse");
  });

  it("cuts what would fill a log", () => {
    expect(refusal(422, "Invalid", "x".repeat(3_000)).message.length).toBeLessThan(2_100);
  });
});
