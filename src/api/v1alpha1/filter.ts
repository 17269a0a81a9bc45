import { z } from "zod";
import { filterRules } from "./filter-rules.ts";
import { matching, text } from "./schema.ts";

/** Any JSON scalar. The CRD has no type for it, so the admission policy and our parser check it. */
const JsonScalar = z
  .union([z.string(), z.number(), z.boolean()])
  .meta({ "x-kubernetes-preserve-unknown-fields": true });

/** A dot path from the payload's root. */
export const PayloadPath = matching(
  text(1024),
  /^\$(\.[^.[\]()*?\p{Cc}]+)+$/u,
  "must be a dot path from the payload's root such as $.alert.severity: steps of plain member names, without indexes, wildcards, filter expressions or empty steps",
);

const FilterShape = z.object({
  path: PayloadPath.describe(
    "path is the dot path from the payload's root, such as $.commonLabels.severity; no indexes, wildcards or empty steps; at most 1,024 characters.",
  ),
  operator: z
    .enum(["eq", "neq", "gt", "gte", "lt", "lte", "contains", "exists"])
    .describe(
      "operator is how the found value is compared with value. Where the path is missing, no operator matches.",
    ),
  value: JsonScalar.optional().describe(
    "value is the value to compare with: a string of at most 4,096 characters, a number or a boolean. It must be a number for gt, gte, lt and lte, and a string for contains; exists ignores it.",
  ),
});

export const Filter = filterRules
  .reduce((filter, { message, check }) => filter.refine(check, { message, path: ["value"] }), FilterShape)
  .describe("Filter is one test of the payload.");
export type Filter = z.infer<typeof Filter>;
