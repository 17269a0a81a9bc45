import { z } from "zod";

const label = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
const instant = "[0-9]{1,15}";

/** The path parameter of all routes of one automation. */
export const IdPath = z.object({
  id: z
    .string()
    .regex(new RegExp(`^${label}\\.${label}$`))
    .describe("<namespace>.<name>"),
});

/** How many entries a page has: decimal digits, 1 to 100. */
function limit(preset: number) {
  return z
    .string()
    .refine(isLimit, "must be a whole number from 1 to 100")
    .default(String(preset))
    .transform(Number)
    .meta({
      description: `Entries a page, 1 to 100; ${String(preset)} unless said.`,
      override: { type: "integer", minimum: 1, maximum: 100, default: preset },
    });
}

function isLimit(text: string): boolean {
  return /^[0-9]+$/.test(text) && Number(text) >= 1 && Number(text) <= 100;
}

/** The nextCursor of the page before; empty is none. */
function cursor(shape: string) {
  return z
    .string()
    .regex(new RegExp(`^(${shape})?$`), "must be the nextCursor of an earlier answer")
    .optional()
    .meta({ description: "The nextCursor of the page before." });
}

const longestSearch = 200;

export const AutomationQuery = z.object({
  namespace: z
    .string()
    .regex(new RegExp(`^${label}$`), "must be a DNS label of at most 63 characters")
    .optional()
    .describe("Only automations of this namespace; without it the caller must be allowed to list them in all."),
  search: z
    .string()
    .refine((text) => Array.from(text).length <= longestSearch, `must have at most ${String(longestSearch)} characters`)
    .optional()
    .meta({
      description: "Only automations whose name contains this, whatever the case; space around it does not count.",
      override: { maxLength: longestSearch },
    }),
  limit: limit(25),
  cursor: cursor(`${instant}\\.${label}\\.${label}`),
});
export type AutomationQuery = z.output<typeof AutomationQuery>;

export const InvocationQuery = z.object({
  limit: limit(20),
  cursor: cursor(`${instant}\\.${instant}\\.${label}`),
});
export type InvocationQuery = z.output<typeof InvocationQuery>;

/** For routes that take none. */
export const Nothing = z.strictObject({});

export const TriggerBody = z.strictObject({
  whilePaused: z.boolean().default(false).describe("Start although the automation is paused; it stays paused."),
});

export const KeyBody = z.strictObject({
  create: z.boolean().default(false).describe("Only if the automation has no key yet; else 409."),
});
