import { z } from "zod";
import { dnsLabel } from "../../lib/dns-label.ts";
import { cursor, instant, limit, namespace } from "../http/inputs.ts";

const longestSearch = 200;

export const AutomationQuery = z.object({
  namespace: namespace("automations"),
  search: z
    .string()
    .refine((text) => Array.from(text).length <= longestSearch, `must have at most ${String(longestSearch)} characters`)
    .optional()
    .meta({
      description: "Only automations whose name or display name contains this, ignoring case and surrounding space.",
      override: { maxLength: longestSearch },
    }),
  limit: limit(25),
  cursor: cursor(`${instant}\\.${dnsLabel}\\.${dnsLabel}`),
});
export type AutomationQuery = z.output<typeof AutomationQuery>;

export const InvocationQuery = z.object({
  limit: limit(20),
  cursor: cursor(`${instant}\\.${instant}\\.${dnsLabel}`),
});
export type InvocationQuery = z.output<typeof InvocationQuery>;

export const TriggerBody = z.strictObject({
  whilePaused: z.boolean().default(false).describe("Start although the automation is paused; it stays paused."),
});

/** Longest secret of known senders is 64 characters. */
export const SigningSecretBody = z.strictObject({
  secret: z
    .string()
    .regex(/^[\x21-\x7e]{16,256}$/, "must be 16 to 256 printable ASCII characters without blanks")
    .describe(
      "The secret with which the sender signs, 16 to 256 printable ASCII characters; for Standard Webhooks whsec_ and base64. Never shown again.",
    ),
  keepPrevious: z
    .boolean()
    .default(false)
    .describe(
      "The secret that was valid until now stays valid until the next one is set; by default it stops at once.",
    ),
});

export const KeyBody = z.strictObject({
  create: z.boolean().default(false).describe("Only if the automation has no key yet; else 409."),
});
