import { z } from "zod";
import { BuildNote } from "./build.ts";
import { BootFailure } from "./bundle.ts";
import { PromptOutcome, SandboxEvent } from "./messages.ts";

/** A session's event, as it is stored and shown. Its text comes from the sandbox and is untrusted. */
export const SessionEvent = z.object({
  attempt: z.int().min(1).describe("Number of the session's sandbox, from 1."),
  seq: z.int().min(1).describe("Grows within the attempt; numbers may be missing."),
  time: z.string().describe("When the gateway received it, RFC 3339."),
  event: z.discriminatedUnion("kind", [
    ...SandboxEvent.options,
    z.object({ kind: z.literal("ready").describe("Boot has ended; prompts can start.") }),
    BuildNote.extend({ kind: z.literal("built").describe("Clone and setup.sh of a prebuilt image have ended.") }),
    BootFailure.extend({ kind: z.literal("bootFailed").describe("Boot has failed; the sandbox is ended.") }),
    PromptOutcome.extend({
      kind: z.literal("promptFinished").describe("A prompt has ended, as the runtime reported it."),
    }),
    z.object({
      kind: z.literal("dropped").describe("Later events of the session are not kept."),
      message: z.string(),
    }),
  ]),
});
export type SessionEvent = z.infer<typeof SessionEvent>;

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
