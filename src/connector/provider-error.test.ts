import { describe, expect, it } from "vitest";

import { githubFailure } from "./github/github-failure.ts";
import { nextTryAfter } from "./next-try.ts";
import { ProviderError } from "./provider-error.ts";

const now = new Date("2026-05-04T10:00:00Z");

describe("what a provider asks to be left alone for", () => {
  it.each([
    [undefined, undefined],
    [0, 0],
    [86_399_999, 86_399_999],
    [86_400_000, 86_400_000],
    [86_400_001, 86_400_000],
    [Infinity, 86_400_000],
  ])("of %s ms counts for %s", (retryAfterMs, want) => {
    expect(new ProviderError("throttled", "wait", { retryAfterMs }).retryAfterMs).toBe(want);
  });

  it("is a time, wherever GitHub says that its limit ends", () => {
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1e20" };
    const error = githubFailure("GET /user", { status: 403, response: { status: 403, headers } }, { now: () => now });
    expect(nextTryAfter(0, error, now)).toBe("2026-05-05T10:00:00.000Z");
  });
});
