import { z } from "zod";

import { PromptSpec } from "../../../api/v1alpha1/prompt.ts";
import { cursor, instant, label, limit, namespace } from "../inputs.ts";

export const SessionQuery = z.object({
  namespace: namespace("sessions"),
  limit: limit(25),
  cursor: cursor(`${instant}\\.${label}\\.${label}`),
});

export const PromptQuery = z.object({ limit: limit(20), cursor: cursor(`${instant}\\.${label}`) });

const longestRequestId = 128;

export const PromptBody = z.strictObject({
  text: PromptSpec.shape.text.describe("What the agent is told, 1 to 64,000 characters, not blank."),
  clientRequestId: z
    .string()
    .min(1)
    .max(longestRequestId)
    .optional()
    .describe("At most 128 characters. Sent again with the same text it is answered with the same prompt."),
});

/** Bytes of the largest {@link PromptBody}: each of its characters may be written as two escapes of six. */
export const longestPromptBody = 12 * 64_000 + 16_384;
