import { z } from "zod";
import { matching } from "./schema.ts";

/** One rule on filter values: to the admission policy as CEL over `filter`, to our own parser as a function. */
export interface FilterRule {
  name: string;
  message: string;
  cel: string;
  check: (filter: { operator: string; value?: unknown }) => boolean;
}

/** Longest text that a filter compares with, in characters; so 64 filters stay below what etcd stores. */
const longestText = 4096;

const orderings = ["gt", "gte", "lt", "lte"];

/** CEL: `value` has no type in the CRD, so only `dyn` may look at it. */
const value = "dyn(filter).value";
const given = "has(dyn(filter).value)";

/** What the CRD cannot say of `value`, since a field of any scalar type is one that its schema cannot see. */
export const filterRules: readonly FilterRule[] = [
  {
    name: "valueIsScalar",
    message: "value must be a string, a number or a boolean",
    cel: `!${given} || type(${value}) == string || type(${value}) == int || type(${value}) == double || type(${value}) == bool`,
    check: (filter) => filter.value === undefined || ["string", "number", "boolean"].includes(typeof filter.value),
  },
  {
    name: "valueIsShort",
    message: "value must be at most 4,096 characters",
    cel: `!${given} || type(${value}) != string || size(string(${value})) <= ${String(longestText)}`,
    check: (filter) => typeof filter.value !== "string" || Array.from(filter.value).length <= longestText,
  },
  {
    name: "valueIsGiven",
    message: "value is required for every operator but exists",
    cel: `filter.operator == 'exists' || ${given}`,
    check: (filter) => filter.operator === "exists" || filter.value !== undefined,
  },
  {
    name: "valueIsNumber",
    message: "value must be a number for the operators gt, gte, lt and lte",
    cel: `!(filter.operator in ['gt', 'gte', 'lt', 'lte']) || !${given} || type(${value}) == int || type(${value}) == double`,
    check: ({ operator, value }) => !orderings.includes(operator) || value === undefined || typeof value === "number",
  },
  {
    name: "valueIsText",
    message: "value must be a string for the operator contains",
    cel: `filter.operator != 'contains' || !${given} || type(${value}) == string`,
    check: ({ operator, value }) => operator !== "contains" || value === undefined || typeof value === "string",
  },
];

/** Any JSON scalar; stored without a type, so only the admission policy and we can judge it. */
const JsonScalar = z
  .union([z.string(), z.number(), z.boolean()])
  .meta({ "x-kubernetes-preserve-unknown-fields": true });

const FilterShape = z.object({
  path: matching(
    z.string().max(1024),
    /^\$(\.[^.[\]()*?\p{Cc}]+)+$/u,
    "must be a dot path from the payload's root such as $.alert.severity: steps of plain member names, without indexes, wildcards, filter expressions or empty steps",
  ).describe(
    "path is the dot path from the payload's root, such as $.commonLabels.severity; no indexes, wildcards or empty steps; at most 1,024 characters.",
  ),
  operator: z
    .enum(["eq", "neq", "gt", "gte", "lt", "lte", "contains", "exists"])
    .describe("operator compares the found value with value; a missing path fails every operator."),
  value: JsonScalar.optional().describe(
    "value is what is compared with, a string of at most 4,096 characters, a number or a boolean: a number for gt, gte, lt and lte, a string for contains; exists ignores it.",
  ),
});

export const Filter = filterRules
  .reduce((filter, { message, check }) => filter.refine(check, { message, path: ["value"] }), FilterShape)
  .describe("Filter is one test of the payload.");
export type Filter = z.infer<typeof Filter>;
