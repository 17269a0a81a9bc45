import { expect, it } from "vitest";
import { Problem } from "../api.ts";
import { afterFailure } from "./after-failure.ts";

const before = { state: "full", value: "what was seen" } as const;

it.each([401, 403, 404])("what was loaded is not shown any longer after %d", (status) => {
  expect(afterFailure(before, new Problem(status, "no"))).toMatchObject({ state: "failed", problem: { status } });
});

it.each([0, 500, 502, 503])("what was loaded stays after %d, with why it is old", (status) => {
  expect(afterFailure(before, new Problem(status, "later"))).toMatchObject({ ...before, stale: { status } });
});

it("a first load that failed has nothing to show", () => {
  expect(afterFailure({ state: "loading" }, new Error("bug"))).toMatchObject({
    state: "failed",
    problem: { status: 0 },
  });
});
