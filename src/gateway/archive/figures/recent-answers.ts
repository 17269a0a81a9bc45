import type { Clock } from "../../../lib/clock.ts";

/** Milliseconds that an answer is given again. */
const freshMs = 10_000;
/** Answers that are kept: the oldest go first. */
const mostAnswers = 1_000;

/** Answers of the last seconds, so that a page that many have open costs one query. */
export class RecentAnswers {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #answers = new Map<string, { answer: Promise<unknown>; untilMs: number }>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** The answer to a question that was asked in the last 10 seconds, or a new one; a failure is forgotten. */
  async get<T>(question: readonly unknown[], ask: () => Promise<T>): Promise<T> {
    const key = JSON.stringify(question);
    const nowMs = this.#clock.monotonicMs();
    const known = this.#answers.get(key);
    // The same question has answers of the same type.
    if (known && nowMs < known.untilMs) return known.answer as Promise<T>;
    const answer = ask();
    this.#answers.delete(key);
    this.#answers.set(key, { answer, untilMs: nowMs + freshMs });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > mostAnswers && oldest !== undefined) this.#answers.delete(oldest);
    answer.catch(() => this.#answers.get(key)?.answer === answer && this.#answers.delete(key));
    return answer;
  }
}
