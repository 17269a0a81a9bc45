import { z } from "zod";
import { protocolLimits } from "../../../api/runtime/limits.ts";

/**
 * The parts of the Agent Client Protocol that the runtime reads. Agents are untrusted and may be newer: updates of other
 * shapes are ignored.
 */

/** Any length; bounded where it is used. */
const Text = z.string();
const OptionalText = Text.nullish().transform((text) => text ?? undefined);
const Tokens = z.int().min(0);

const Update = z.discriminatedUnion("sessionUpdate", [
  z.object({
    sessionUpdate: z.literal("agent_message_chunk"),
    content: z.object({ type: Text, text: Text.optional() }),
  }),
  z.object({
    sessionUpdate: z.enum(["tool_call", "tool_call_update"]),
    toolCallId: Text,
    title: OptionalText,
    status: OptionalText,
  }),
  z.object({
    sessionUpdate: z.literal("usage_update"),
    /** Of the whole conversation. */
    cost: z.object({ amount: z.unknown(), currency: Text }).nullish(),
  }),
]);
export type Update = z.infer<typeof Update>;

const Notification = z.object({ sessionId: Text, update: Update });

/** A `session/update` of a known kind, or undefined. */
export function readUpdate(params: unknown): z.infer<typeof Notification> | undefined {
  return Notification.safeParse(params).data;
}

export const Initialized = z.object({
  protocolVersion: z.int(),
  agentCapabilities: z
    .object({
      loadSession: z.boolean().default(false),
      promptCapabilities: z.object({ image: z.boolean().default(false) }).prefault({}),
    })
    .prefault({}),
});

export const NewSession = z.object({ sessionId: z.string().min(1).max(protocolLimits.messageCharacters) });

export const PromptResult = z.object({
  stopReason: Text,
  /** Not yet part of the stable protocol, but agents send it. */
  usage: z.object({ inputTokens: Tokens, outputTokens: Tokens }).nullish().catch(undefined),
});
export type PromptResult = z.infer<typeof PromptResult>;

export const PermissionRequest = z.object({
  options: z.array(z.object({ optionId: Text, kind: Text })).max(64),
  /** What the permission is for. */
  toolCall: z.object({ title: OptionalText }).optional().catch(undefined),
});

/** A question that a form or a page asks a person. */
export const Elicitation = z.object({ message: Text.optional().catch(undefined) }).catch({ message: undefined });

export type PermissionOption = z.infer<typeof PermissionRequest>["options"][number];
