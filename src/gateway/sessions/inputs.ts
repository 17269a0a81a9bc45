import { z } from "zod";

import { promptContent, saysSomething } from "../../api/v1alpha1/prompt.ts";
import { dnsLabel } from "../../lib/dns-label.ts";
import { cursor, instant, limit, namespace } from "../http/inputs.ts";

export const SessionQuery = z.object({
  namespace: namespace("sessions"),
  limit: limit(25),
  cursor: cursor(`${instant}\\.${dnsLabel}\\.${dnsLabel}`),
});

export const PromptQuery = z.object({ limit: limit(20), cursor: cursor(`${instant}\\.${dnsLabel}`) });

const longestRequestId = 128;

const PromptFields = z.strictObject({
  text: promptContent.text.describe("Text for the agent, at most 64,000 characters; may be blank only with images."),
  images: promptContent.images.describe("Images that were uploaded to the session, at most 6, in their order."),
  clientRequestId: z
    .string()
    .min(1)
    .max(longestRequestId)
    .optional()
    .describe(
      "Idempotency key, at most 128 characters: a repeated request with the same text and images gives the same prompt.",
    ),
});

export const PromptBody = PromptFields.refine(saysSomething.check, { message: saysSomething.message, path: ["text"] });

/** Bytes of the largest {@link PromptBody}: JSON may write each character as two escapes of six bytes. */
export const maxPromptBodyBytes = 12 * 64_000 + 16_384;
