import type { SessionEvent } from "./session-event.ts";

/** Position of a reader of a session's events: after this event. */
export type EventPosition = Pick<SessionEvent, "attempt" | "seq">;

/** The position as the `id` of a Server-Sent Event. */
export function positionText({ attempt, seq }: EventPosition): string {
  return `${attempt}.${seq}`;
}

/** The position of such an `id`; undefined for any other text. */
export function parsePosition(text: string): EventPosition | undefined {
  const match = /^([1-9][0-9]{0,6})\.([1-9][0-9]{0,15})$/.exec(text);
  return match ? { attempt: Number(match[1]), seq: Number(match[2]) } : undefined;
}

/** Whether an event comes after a position. */
export function isAfter(event: EventPosition, position: EventPosition): boolean {
  return event.attempt > position.attempt || (event.attempt === position.attempt && event.seq > position.seq);
}
