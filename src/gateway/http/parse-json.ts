import type { z } from "zod";

/** A value as JSON text; undefined when the text is no JSON or the schema does not accept it. */
export function parseJson<S extends z.ZodType>(schema: S, text: string): z.output<S> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
