import { z } from "zod";

export const EventsQuery = z.object({
  follow: z
    .enum(["true", "false"], "must be true or false")
    .default("true")
    .transform((text) => text === "true")
    .meta({
      description: "Whether to wait for what is to come; with false the stream ends with what there is.",
      override: { type: "string", enum: ["true", "false"], default: "true" },
    }),
});
