import { z } from "zod";

import { dnsLabel } from "../../lib/dns-label.ts";

export const instant = "[0-9]{1,15}";

const Id = z
  .string()
  .regex(new RegExp(`^${dnsLabel}\\.${dnsLabel}$`))
  .describe("<namespace>.<name>");
const PromptId = z
  .string()
  .regex(new RegExp(`^${dnsLabel}$`))
  .describe("The Prompt's name.");

const MediaFile = z
  .string()
  .regex(/^[0-9a-f]{64}\.[a-z0-9]{1,8}$/)
  .describe("64 digits of the file's digest and what its type's names end with.");

const parameters = { id: Id, promptId: PromptId, file: MediaFile };

/** The parameters of a path as OpenAPI writes it. */
export function pathParameters(path: string): { path?: z.ZodObject } {
  const named = Object.entries(parameters).filter(([name]) => path.includes(`{${name}}`));
  return named.length === 0 ? {} : { path: z.object(Object.fromEntries(named)) };
}

/** Query parameter: entries per page, 1 to 100. */
export function limit(preset: number) {
  return z
    .string()
    .refine(isLimit, "must be a whole number from 1 to 100")
    .default(String(preset))
    .transform(Number)
    .meta({
      description: `Entries a page, 1 to 100; ${String(preset)} by default.`,
      override: { type: "integer", minimum: 1, maximum: 100, default: preset },
    });
}

function isLimit(text: string): boolean {
  return /^[0-9]+$/.test(text) && Number(text) >= 1 && Number(text) <= 100;
}

/** Query parameter: the nextCursor of the previous page; empty for the first page. */
export function cursor(shape: string) {
  return z
    .string()
    .regex(new RegExp(`^(${shape})?$`), "must be the nextCursor of an earlier answer")
    .optional()
    .meta({ description: "The nextCursor of the page before." });
}

export function namespace(kinds: string) {
  return z
    .string()
    .regex(new RegExp(`^${dnsLabel}$`), "must be a DNS label of at most 63 characters")
    .optional()
    .describe(`Only ${kinds} of this namespace; without it the caller must be allowed to list them in all.`);
}

/** For routes without query or body. */
export const Nothing = z.strictObject({});
