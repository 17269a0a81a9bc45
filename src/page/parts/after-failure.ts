import { Problem } from "../api.ts";

/** What a part of the page has of what it shows. */
export type Loaded<T> =
  | { state: "loading" }
  | { state: "failed"; problem: Problem }
  /** `stale`: why the newest try to load it again came to nothing. */
  | { state: "full"; value: T; stale?: Problem };

/** Problems after which what was loaded before must not be shown any longer. */
const final = [401, 403, 404];

/** What is shown after a failed load: a passing failure keeps what was there. */
export function afterFailure<T>(before: Loaded<T>, error: unknown): Loaded<T> {
  const problem = error instanceof Problem ? error : new Problem(0, String(error));
  if (before.state !== "full" || final.includes(problem.status)) return { state: "failed", problem };
  return { ...before, stale: problem };
}
