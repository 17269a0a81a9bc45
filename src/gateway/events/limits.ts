import { eventBlobOverhead } from "../blobs/event-usage.ts";

/** Limits of a session's events, as in docs/use/sessions.md. */
export const eventLimits = {
  /** Bytes at which a segment is complete. */
  segmentBytes: 32_768,
  /** Bytes that each segment counts in addition, to limit many small ones too. */
  segmentOverhead: eventBlobOverhead,
  /** Waiting events at which they are written at once. */
  waitingEvents: 64,
  /** Bytes of a session's events; beyond it only results of boots and prompts are kept. */
  sessionBytes: 64 * 1_048_576,
  /** Additional bytes for results of boots and prompts; beyond them nothing is kept. */
  reserveBytes: 4 * 1_048_576,
  /** Most bytes of events with which a reader may begin; who wants more begins with the first of all. */
  partBytes: 1_048_576,
} as const;

/** Milliseconds. */
export const eventTimes = {
  /** Between two writes of a session's events. */
  writeMs: 1_000,
  /** Limit for storing a report's events before its effect; results matter more than their record. */
  reportMs: 5_000,
  /** Between two tries to write. */
  retryMs: { first: 250, longest: 10_000 },
} as const;
