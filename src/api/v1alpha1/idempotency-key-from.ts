import { z } from "zod";
import { PayloadPath } from "./filter.ts";
import { HeaderName } from "./header-name.ts";
import { atomicOf, withRule } from "./schema.ts";

export const IdempotencyKeyFrom = withRule(
  z
    .object({
      header: HeaderName.optional().describe(
        "header is a header whose value identifies the event, such as X-GitHub-Delivery, at most 128 characters.",
      ),
      paths: atomicOf(z.array(PayloadPath).min(1).max(8))
        .optional()
        .describe(
          "paths are dot paths from the payload's root to strings that identify the event together, such as $.groupKey and $.status; at most 8 of 1,024 characters.",
        ),
    })
    .describe("IdempotencyKeyFrom says what identifies an event; several parts are joined."),
  {
    message: "needs header, paths or both",
    cel: "has(self.header) || has(self.paths)",
    check: (from) => from.header !== undefined || from.paths !== undefined,
  },
);
export type IdempotencyKeyFrom = z.infer<typeof IdempotencyKeyFrom>;
