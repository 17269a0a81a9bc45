import { expect, it } from "vitest";

import { laterState, type ObservedState, observedState, type PullRequestState } from "./state.ts";

const time = "2026-05-04T10:00:00Z";

it.each<{ state: string; draft: boolean | null; merged: string | null; want: PullRequestState }>([
  { state: "open", draft: false, merged: null, want: "Open" },
  { state: "open", draft: null, merged: null, want: "Open" },
  { state: "open", draft: true, merged: null, want: "Draft" },
  { state: "closed", draft: false, merged: null, want: "Closed" },
  { state: "closed", draft: true, merged: null, want: "Closed" },
  { state: "closed", draft: false, merged: time, want: "Merged" },
])("$state, draft $draft, merged $merged: $want", ({ state, draft, merged, want }) => {
  expect(observedState({ state, draft, merged_at: merged, updated_at: time })).toEqual({
    state: want,
    updateTime: time,
    ...(merged !== null && { mergeTime: merged }),
  });
});

it.each<{ known: PullRequestState; name: string; updateTime: string; want: PullRequestState }>([
  { known: "Closed", name: "older", updateTime: "2026-05-04T09:59:59Z", want: "Closed" },
  { known: "Closed", name: "as old", updateTime: time, want: "Open" },
  { known: "Closed", name: "newer", updateTime: "2026-05-04T10:00:01Z", want: "Open" },
  { known: "Merged", name: "as old", updateTime: time, want: "Merged" },
])("$known, after an observation that is $name: $want", ({ known, updateTime, want }) => {
  expect(laterState({ state: known, updateTime: time }, { state: "Open", updateTime }).state).toBe(want);
});

it("a merged one keeps when it was merged, whatever is observed later", () => {
  const known: ObservedState = { state: "Merged", updateTime: time, mergeTime: time };
  expect(laterState(known, { state: "Closed", updateTime: "2026-05-04T10:00:01Z" })).toEqual(known);
});

it("a merged one goes on to the time of the newest observation", () => {
  const newer: ObservedState = { state: "Merged", updateTime: "2026-05-04T10:00:01Z" };
  expect(laterState({ state: "Merged", updateTime: time }, newer)).toEqual(newer);
});

it("the first observation is the state", () => {
  expect(laterState(undefined, { state: "Draft", updateTime: time })).toEqual({ state: "Draft", updateTime: time });
});
