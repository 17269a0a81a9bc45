import { z } from "zod";
import { mapOf, Time } from "./schema.ts";

export const Condition = z
  .object({
    type: z.string().min(1).max(316).describe("type names the aspect that is judged."),
    status: z.enum(["True", "False", "Unknown"]).describe("status is the verdict."),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .describe("reason is the verdict's cause in one CamelCase word."),
    message: z.string().max(32768).describe("message explains the verdict to a person."),
    lastTransitionTime: Time.describe("lastTransitionTime is when status last changed."),
    observedGeneration: z
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe("observedGeneration is the generation that was judged."),
  })
  .describe("Condition is one judged aspect of an object.");
export type Condition = z.infer<typeof Condition>;

/** Every kind's conditions: a map by type, at most 8. */
export const Conditions = mapOf(z.array(Condition).max(8), "type")
  .optional()
  .describe("conditions are the judged aspects of the object, at most 8.");

export const ObservedGeneration = z
  .int()
  .min(-1)
  .max(Number.MAX_SAFE_INTEGER)
  .optional()
  .describe("observedGeneration is the generation that the controller last judged; -1 until it has looked.");
