import { z } from "zod";
import { text, withRules } from "./schema.ts";

/** A map of texts whose keys are those of labels and annotations, of 1 to 317 characters; `noun` names its entries. */
export function boundedRecord(
  noun: string,
  { entries, valueCharacters }: { entries: number; valueCharacters: number },
): z.ZodRecord<z.ZodString, z.ZodString> {
  const schema = z.record(z.string(), text(valueCharacters)).meta({ maxProperties: entries });
  return withRules(schema, [
    {
      message: `must have at most ${entries} ${noun}`,
      cel: `size(self) <= ${entries}`,
      check: (record) => Object.keys(record).length <= entries,
    },
    {
      message: "must have keys of 1 to 317 characters",
      cel: "self.all(key, size(key) >= 1 && size(key) <= 317)",
      check: (record) => Object.keys(record).every((key) => key.length >= 1 && key.length <= 317),
    },
  ]);
}
