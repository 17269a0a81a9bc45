import { expect, it } from "vitest";

import { observed } from "../../api/v1alpha1/conditions.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import { withMarks } from "../../domain/conditions.ts";
import { markLeftOutEvents, markReadiness, markRetrying } from "./lifecycle.ts";

const at = { now: new Date("2026-05-04T10:15:00Z"), generation: 1 };
const idle = { kind: "settled", reason: "Idle", message: "waits for a prompt" } as const;

/** What the condition says, as `Reason: message`; undefined where there is none. */
function said({ conditions }: SessionStatus): string | undefined {
  const found = conditions?.find(({ type }) => type === "EventsLeftOut");
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

it.each([
  { bound: "session", want: "True EventsFull: no more" },
  { bound: "namespace", want: "True EventsOverBudget: no more" },
  { bound: "total", want: "True EventsOverBudget: no more" },
] as const)("events that the bound of $bound left out are a warning, which stays", ({ bound, want }) => {
  const warned = markReadiness(markLeftOutEvents({}, { bound, message: "no more" }, at), idle, at);
  expect(said(warned)).toBe(want);
  const later = markReadiness(markLeftOutEvents(warned, undefined, at), idle, at);
  expect(said(later)).toBe(want);
});

it("the latest cause counts, and nothing is said while all is kept", () => {
  expect(said(markLeftOutEvents({}, undefined, at))).toBeUndefined();
  const first = markLeftOutEvents({}, { bound: "namespace", message: "no more" }, at);
  expect(said(markLeftOutEvents(first, { bound: "session", message: "64 MiB" }, at))).toBe("True EventsFull: 64 MiB");
});

it("all that can be said of a Session at once fits into its status", () => {
  const { ready, reconciling, stalled, ...others } = conditionTypes;
  const marks = Object.values(others).map((type) => ({ type, status: "True" as const, reason: "Told", message: "" }));
  const all = { conditions: withMarks(undefined, marks, at) };
  const refused = markReadiness(all, { kind: "stalled", reason: "SecretNotFound", message: "" }, at);
  const { conditions = [] } = markRetrying(refused, "conflict", at) ?? {};
  expect(conditions.map(({ type }) => type)).toEqual(expect.arrayContaining([ready, stalled, reconciling]));
  expect(conditions.length).toBeGreaterThan(8);
  expect(observed.conditions.safeParse(conditions).error).toBeUndefined();
});
