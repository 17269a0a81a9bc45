import { z } from "zod";
import { integer, mapOf, text, Time } from "./schema.ts";

export const Condition = z
  .object({
    type: z.string().min(1).max(316).describe("type is the aspect of the object that the condition describes."),
    status: z.enum(["True", "False", "Unknown"]).describe("status is whether the condition holds."),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .describe("reason is the cause in one CamelCase word."),
    message: text(32768).describe("message explains the status to people."),
    lastTransitionTime: Time.describe("lastTransitionTime is when status last changed."),
    observedGeneration: integer(0)
      .optional()
      .describe("observedGeneration is the object's generation that the condition is based on."),
  })
  .describe("Condition is one aspect of an object's state.");
export type Condition = z.infer<typeof Condition>;

/** What every status begins with. */
export const observed = {
  conditions: mapOf(z.array(Condition).max(12), "type")
    .optional()
    .describe("conditions describe the object's state, at most 12."),
  observedGeneration: integer(-1)
    .optional()
    .describe("observedGeneration is the generation that the controller last processed; -1 before the first time."),
};
