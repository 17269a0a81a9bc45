import { z } from "zod";
import { BootFailure } from "./bundle.ts";
import { PromptOutcome, SandboxEvent } from "./messages.ts";

/** One thing that happened in a session, as it is stored and shown. Text is a sandbox's and untrusted. */
export const SessionEvent = z.object({
  attempt: z.int().min(1).describe("Which of the session's sandboxes it happened in, from 1."),
  seq: z.int().min(1).describe("Grows within the attempt; numbers may be left out."),
  time: z.string().describe("When the gateway took it, RFC 3339."),
  event: z.discriminatedUnion("kind", [
    ...SandboxEvent.options,
    z.object({ kind: z.literal("ready").describe("Boot has ended; prompts may come.") }),
    BootFailure.extend({ kind: z.literal("bootFailed").describe("Boot has failed for good.") }),
    PromptOutcome.extend({ kind: z.literal("promptFinished").describe("A prompt has ended, as the runtime saw it.") }),
    z.object({
      kind: z.literal("dropped").describe("From here on events of the session are not kept."),
      message: z.string(),
    }),
  ]),
});
export type SessionEvent = z.infer<typeof SessionEvent>;

/** Where a reader of a session's events is: behind this one. */
export type EventPosition = Pick<SessionEvent, "attempt" | "seq">;

/** The position as `id` of a Server-Sent Event. */
export function positionText({ attempt, seq }: EventPosition): string {
  return `${attempt}.${seq}`;
}

/** The position that such an `id` says, or undefined when it is none. */
export function parsePosition(text: string): EventPosition | undefined {
  const match = /^([1-9][0-9]{0,6})\.([1-9][0-9]{0,15})$/.exec(text);
  return match ? { attempt: Number(match[1]), seq: Number(match[2]) } : undefined;
}

/** Whether an event comes after a position. */
export function isAfter(event: EventPosition, position: EventPosition): boolean {
  return event.attempt > position.attempt || (event.attempt === position.attempt && event.seq > position.seq);
}
