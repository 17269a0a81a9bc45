/** One rule on filter values: CEL over `filter` for the admission policy, a function for our own parser. */
export interface FilterRule {
  name: string;
  message: string;
  cel: string;
  check: (filter: { operator: string; value?: unknown }) => boolean;
}

/** Longest text to compare with, in characters; 64 filters then fit etcd's limit. */
const longestText = 4096;

const orderings = ["gt", "gte", "lt", "lte"];

/** CEL: `value` has no type in the CRD, so only `dyn` may look at it. */
const value = "dyn(filter).value";
const given = "has(dyn(filter).value)";

/** Rules on `value`, which the CRD cannot check, as its schema has no type for any scalar. */
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
