/** Completed by all that ended; null where none has. */
export function rateOf(outcomes: { completed: number; failed: number; cancelled: number }): number | null {
  const ended = outcomes.completed + outcomes.failed + outcomes.cancelled;
  return ended === 0 ? null : outcomes.completed / ended;
}
