import { scopes } from "../inputs.ts";

const dayMs = 86_400_000;

/** Which sessions count, by creation, in milliseconds since 1970. */
export interface Selected {
  /** Left out: all. */
  namespace?: string | undefined;
  /** The first instant that counts, and the first one that no longer does. */
  fromMs: number;
  untilMs: number;
  /** Left out: every source. */
  source?: string | undefined;
}

export interface Asked {
  namespace?: string | undefined;
  days: number;
  /** Left out: all, as of pull requests. */
  scope?: keyof typeof scopes | "all";
}

/** The window of a query that is asked at an instant; `beginMs` is when history of its namespace begins. */
export function selectedBy({ namespace, days, scope = "all" }: Asked, beginMs: number, nowMs: number): Selected {
  const fromMs = Math.max(nowMs - days * dayMs, beginMs);
  return { namespace, fromMs, untilMs: nowMs, source: scope === "all" ? undefined : scopes[scope] };
}

/** The UTC days that the so many times 24 hours before an instant touch, oldest first, counted from 1970. */
export function daysTouched(days: number, nowMs: number): number[] {
  const first = dayOf(nowMs - days * dayMs);
  return Array.from({ length: dayOf(nowMs - 1) - first + 1 }, (_, index) => first + index);
}

/** Of a day, such as `2026-03-31`. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}
