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
