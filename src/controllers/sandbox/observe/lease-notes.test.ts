import { expect, it } from "vitest";
import { annotations } from "../../../api/v1alpha1/names.ts";
import { observeLease } from "./lease-notes.ts";

const since = "2026-05-04T10:00:00.000Z";
const commits = [{ repository: "web", commit: "a".repeat(40) }];
const phase = { name: "Cloning", since };

it.each([
  { name: "events that were left out", note: { bound: "session", message: "64 MiB" }, isRead: true },
  { name: "a bound that it does not know", note: { bound: "planet", message: "64 MiB" }, isRead: false },
])("the gateway's note of $name", ({ note, isRead }) => {
  const metadata = { annotations: { [annotations.eventsLeftOut]: JSON.stringify(note) } };
  expect(observeLease({ metadata }).eventsLeftOut).toEqual(isRead ? note : undefined);
});

it.each([
  { name: "a phase of boot", note: { phase: "clone", since }, want: { phase } },
  {
    name: "a phase of a build, with its commits",
    note: { phase: "clone", since, commits },
    want: { phase, buildCommits: commits },
  },
  { name: "one that cannot be read", note: { phase: "clone", commits: "none" }, want: {} },
])("the gateway's note of $name", ({ note, want }) => {
  const metadata = { annotations: { [annotations.bootPhase]: JSON.stringify(note) } };
  const { phase: found, buildCommits } = observeLease({ metadata });
  expect({ phase: found, buildCommits }).toEqual({ phase: undefined, buildCommits: undefined, ...want });
});
