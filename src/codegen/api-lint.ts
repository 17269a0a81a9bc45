import { kubectlDocuments } from "../cli/arguments/kubectl-yaml.ts";
import { saysMoreThanItsName } from "./says-more.ts";
import type { StructuralSchema } from "./structural-schema.ts";

interface Field {
  path: string;
  name: string;
  schema: StructuralSchema;
  /** Below the entries of a list. */
  listed: boolean;
}

/** True switches and facts, which will never have a third value. */
const switches = new Set([
  "spec.suspend",
  "spec.trigger.webhook.payloadFile",
  "spec.default",
  "spec.cancel",
  "spec.readOnlyRootFilesystem",
  // As in a pod's spec.
  "spec.hostUsers",
  "spec.egress.internet",
  "spec.egress.dns",
  "spec.files[].executable",
  "spec.appliesTo.all",
  "status.build.wanted",
  "status.sandbox.replacement",
]);

/** One convention: the problem with a field, or undefined. */
type Check = (field: Field) => string | false | undefined;

const checks: readonly Check[] = [
  ({ name, schema }) =>
    !schema.description?.startsWith(`${name} `) && `must have a description that begins with ${name}`,
  ({ path, schema }) =>
    schema.description !== undefined &&
    !saysMoreThanItsName(path, schema.description) &&
    "must have a description that says something that its name does not",
  ({ schema }) => schema.description?.endsWith(".") === false && "must have a description of whole sentences",
  ({ schema }) => schema.type === "string" && !schema.enum && schema.maxLength === undefined && "must have a maxLength",
  ({ path, schema }) => path.startsWith("spec.") && needsQuotes(schema.enum),
  ({ schema }) => schema.type === "array" && schema.maxItems === undefined && "must have maxItems",
  ({ schema }) => schema.type === "array" && !schema["x-kubernetes-list-type"] && "must say its list type",
  ({ schema }) => schema.additionalProperties && schema.maxProperties === undefined && "must have maxProperties",
  ({ schema }) => schema.type === "number" && "must not be a floating-point number",
  ({ path, schema }) => schema.type === "boolean" && !switches.has(path) && "must not be a boolean but an enum",
  ({ name }) => /(timeout|duration|interval|ttl|delay)$/i.test(name) && "must name its unit: …Seconds or …Ms",
  ({ name, schema }) => /^(phase|state)$/i.test(name) && schema.type === "string" && "must be a condition",
  ({ schema }) =>
    /^(set|map)$/.test(schema["x-kubernetes-list-type"] ?? "") &&
    schema.default !== undefined &&
    "must be atomic or have no default: server-side apply of an empty parent would drop the parent",
  ({ listed, schema }) =>
    listed && schema.default !== undefined && "must have no default: below a list, kubectl apply would never settle",
  ({ schema }) =>
    typeof schema.default !== "object" &&
    schema.default !== undefined &&
    !schema.description?.includes("Defaults to") &&
    "must say what it defaults to",
  ({ schema: { properties = {}, required = [] } }) => {
    const both = required.filter((name) => properties[name]?.default !== undefined);
    return both.length > 0 && `must not require what has a default: ${both.join(", ")}`;
  },
];

/** A text that people write without quotes must be one to kubectl. */
function needsQuotes(values: readonly unknown[] = []): string | undefined {
  const isOther = (value: unknown): boolean => kubectlDocuments(String(value))[0]?.toJS() !== value;
  const [first] = values.filter((value) => typeof value === "string").filter(isOther);
  return first === undefined
    ? undefined
    : `must not have the value ${first}, which is no text to kubectl without quotes`;
}

/** Violations of the API conventions in a kind's spec or status, one sentence each. */
export function lintFields(name: "spec" | "status", schema: StructuralSchema): string[] {
  const { properties = {} } = schema;
  const fields = Object.keys(properties).flatMap((key) =>
    fieldsOf({ path: `${name}.${key}`, name: key, schema: properties[key] ?? {}, listed: false }),
  );
  return fields.flatMap((field) => {
    const problems = checks.map((check) => check(field)).filter((problem) => typeof problem === "string");
    return problems.map((problem) => `${field.path} ${problem}`);
  });
}

/** Violations of the conventions for statuses. */
export function lintStatus({ properties = {}, required = [] }: StructuralSchema): string[] {
  const [first] = Object.keys(properties);
  return [
    ...(first === "conditions" ? [] : ["status must begin with conditions"]),
    ...(properties.observedGeneration ? [] : ["status must have observedGeneration"]),
    ...required.map((name) => `status.${name} must be optional`),
  ];
}

function fieldsOf(field: Field): Field[] {
  const { path, schema, listed } = field;
  const entries = schema.items;
  const { properties = entries?.properties ?? {} } = schema;
  const below = Object.entries(properties).map(([name, property]): Field => ({
    path: `${path}${entries ? "[]" : ""}.${name}`,
    name,
    schema: property,
    listed: listed || entries !== undefined,
  }));
  const bare = entries && !entries.properties ? bareEntry(field, entries) : [];
  return [field, ...bare, ...below.flatMap(fieldsOf)];
}

/** Entries of a list that are not objects have no name, so the list's description is theirs. */
function bareEntry({ path, name, schema }: Field, entry: StructuralSchema): Field[] {
  const description = schema.description ?? "";
  return [{ path: `${path}[]`, name, schema: { ...entry, description }, listed: true }];
}
