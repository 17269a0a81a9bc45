import { z } from "zod";

export const EventsQuery = z.object({
  follow: z
    .enum(["true", "false"], "must be true or false")
    .default("true")
    .transform((text) => text === "true")
    .meta({
      description: "Whether to wait for new events; with false the stream ends after the stored ones.",
      override: { type: "string", enum: ["true", "false"], default: "true" },
    }),
});
