/** Bounds of what is kept of one session's events; docs/sessions.md tells people. */
export const eventLimits = {
  /** Bytes from which a segment is complete. */
  segmentBytes: 32_768,
  /** Bytes that each segment counts on top of its own, so that many small ones are bounded too. */
  segmentOverhead: 4_096,
  /** Waiting events from which no time is lost before they are written. */
  waitingEvents: 64,
  /** Bytes of a session's events; beyond it only how boots and prompts went is kept. */
  sessionBytes: 64 * 1_048_576,
  /** Bytes on top of that for how boots and prompts went; beyond them nothing is kept. */
  reserveBytes: 4 * 1_048_576,
} as const;

/** Milliseconds. */
export const eventTimes = {
  /** Between two writes of the same session's output. */
  writeMs: 1_000,
  /** How long a report waits until it and what came before it are stored; results count more than their record. */
  reportMs: 5_000,
  /** Between two tries to store. */
  retryMs: { first: 250, longest: 10_000 },
} as const;
