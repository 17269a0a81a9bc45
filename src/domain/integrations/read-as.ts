import type { z } from "zod";

import { Refusal } from "../deliveries/refusal.ts";
import { firstCharacters } from "../../lib/characters.ts";

/** A value as a schema of a provider's events reads it. @throws Refusal `InvalidPayload` */
export function readAs<T extends z.ZodType>(schema: T, value: unknown, provider: string): z.output<T> {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  const where = issue?.path.join(".") ?? "";
  const problem = where === "" ? "it must be an object" : `${where} is missing or wrong`;
  throw new Refusal({ code: "InvalidPayload", message: `The body is no event of ${provider}'s: ${problem}` });
}

/** What a sender wrote, short and safe to show. */
export function named(text: string): string {
  return JSON.stringify(firstCharacters(text, 64));
}
