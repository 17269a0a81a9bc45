import { expect, it } from "vitest";

import { admissionRefusal, type SessionRoom } from "./admit.ts";
import type { AttemptCap } from "../../../domain/pull-requests/autofix-settings.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const dayMs = 86_400_000;
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();

/** So many attempts within the last day, the oldest of them at this age. */
function attempts(count: number, oldestMs = dayMs / 2): string[] {
  return Array.from({ length: count }, (_, index) => ago(index === 0 ? oldestMs : 1_000));
}

function aRoom(change: Partial<SessionRoom> = {}): SessionRoom {
  return { isClosed: false, isBudgetExhausted: false, unfinished: 0, ...change };
}

it.each<{ name: string; before: string[]; cap: AttemptCap; want: string | undefined }>([
  { name: "29 attempts of 30", before: attempts(29), cap: 30, want: undefined },
  { name: "30 attempts of 30", before: attempts(30), cap: 30, want: "AttemptLimit" },
  { name: "31 attempts of 30", before: attempts(31), cap: 30, want: "AttemptLimit" },
  { name: "30, the oldest 24 h and 1 ms ago", before: attempts(30, dayMs + 1), cap: 30, want: undefined },
  { name: "30, the oldest 24 h ago", before: attempts(30, dayMs), cap: 30, want: "AttemptLimit" },
  { name: "500 without a cap", before: attempts(500), cap: "Unlimited", want: undefined },
  { name: "30 and a cap raised to 40", before: attempts(30), cap: 40, want: undefined },
  { name: "none and a cap of 1", before: attempts(0), cap: 1, want: undefined },
  { name: "1 and a cap of 1", before: attempts(1), cap: 1, want: "AttemptLimit" },
])("after $name: $want", ({ before, cap, want }) => {
  expect(admissionRefusal(aRoom(), { admitted: before, cap }, now)).toBe(want);
});

it.each<{ name: string; room: Partial<SessionRoom>; admitted?: string[]; want: string | undefined }>([
  { name: "49 unfinished prompts", room: { unfinished: 49 }, want: undefined },
  { name: "50 unfinished prompts", room: { unfinished: 50 }, want: "QueueFull" },
  { name: "no budget left", room: { isBudgetExhausted: true }, want: "CostLimitReached" },
  { name: "its end behind it", room: { isClosed: true }, want: "SessionClosed" },
  { name: "all at once", room: { isClosed: true, isBudgetExhausted: true, unfinished: 50 }, want: "SessionClosed" },
  { name: "no budget and no room", room: { isBudgetExhausted: true, unfinished: 50 }, want: "CostLimitReached" },
  { name: "no room and no attempts", room: { unfinished: 50 }, admitted: attempts(30), want: "QueueFull" },
])("a session with $name: $want", ({ room, admitted = [], want }) => {
  expect(admissionRefusal(aRoom(room), { admitted, cap: 30 }, now)).toBe(want);
});
