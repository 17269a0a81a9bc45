import { Problem } from "../api.ts";

/** What a part of the page has of what it shows. */
export type Loaded<T> =
  | { state: "loading" }
  | { state: "failed"; problem: Problem }
  /** `stale`: why the newest try to load it again came to nothing. */
  | { state: "full"; value: T; stale?: Problem };

/** Whether what was loaded before must not be shown any longer. */
export function isFinal({ status }: Problem): boolean {
  return status === 401 || status === 403 || status === 404;
}

/** What is shown after a failed load: a passing failure keeps what was there. */
export function afterFailure<T>(before: Loaded<T>, error: unknown): Loaded<T> {
  const problem = error instanceof Problem ? error : new Problem(0, String(error));
  if (before.state !== "full" || isFinal(problem)) return { state: "failed", problem };
  return { ...before, stale: problem };
}
